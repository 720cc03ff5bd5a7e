// The first statement of a `d_step` may receive in a rendezvous.
chan c = [0] of { byte, byte }; byte x;
active proctype S() { c!1,2; c!3,4; atomic { x = 0; c!5,6; x = 7 } }
active proctype R() { byte a, b; do :: d_step { c?a,b; x = a + b; a = 0; b = 0 } od }
active proctype R2() { byte a; d_step { c?3,a; x = a; a = 0 } }

// expect: states 11
// expect: assertions hold
// expect: end states invalid
