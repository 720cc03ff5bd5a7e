// An `else` beside sending in a rendezvous asks for a partner; one beside receiving does not.
chan c = [0] of { bit }; chan d = [1] of { byte }; byte x;
active proctype P() { do :: c!1 -> x = 1 :: d?x :: else -> x = 2; break od }
active proctype Q() { byte y; do :: c?y :: d!3 :: x == 2 -> break :: else -> skip od }

// expect: states 47
// expect: assertions hold
// expect: end states valid
