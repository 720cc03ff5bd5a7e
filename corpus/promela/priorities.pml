/* Only what is possible counts: B goes first, but only when it can. */
byte n;
bool go;
active proctype A() priority 2 { do :: n < 3 -> n++ :: n == 2 -> go = !go od }
active proctype B() priority 5 { do :: go -> n = 0; go = 0 od }
active [2] proctype C() { do :: n > 0 -> n-- od }

// expect: states 34
// expect: assertions hold
// expect: end states valid
