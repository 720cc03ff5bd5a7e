// An atomic sequence that is interrupted because a process that it meets is not there yet: what that process does
// for itself makes a difference to others.
chan c = [0] of { bit };
byte g, q;
active proctype P() { byte x; g = 1; x = 1; atomic { c?0; q = 0 } }
active proctype R() { atomic { g == 1; q = 1; c!0 } }
active proctype Q() { q == 1; g = 2 }
ltl p { [] (g != 2) }

// expect: states 17
// expect: end states invalid
// expect: ltl p violated under none
