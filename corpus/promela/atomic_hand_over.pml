// In a rendezvous the privilege passes to the receiver if it is inside `atomic`; else it is lost.
chan c = [0] of { byte }; byte x;
active proctype S() { atomic { x = 1; c!3; x = 2; c!4; x = 3 } }
active proctype R() { byte y; atomic { c?y; x = y; y = 0 }; c?y; x = y }
active proctype T() { byte z; z = 1; z = 2; x = 9 }

// expect: states 53
// expect: assertions hold
// expect: end states valid
