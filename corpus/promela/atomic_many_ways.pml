// An atomic sequence with 6400 ways through it, each to a state of its own.
byte x, k, j;
active proctype A() { atomic { x = 1; select (k : 1 .. 80); select (j : 1 .. 80); x = 0 } }

ltl unseen { [] (x == 0) }
ltl last { <> (k == 80 && j == 80) }

// expect: states 12801
// expect: assertions hold
// expect: end states valid
// expect: ltl unseen holds under none
// expect: ltl unseen holds under weak process
// expect: ltl last violated under none
// expect: ltl last violated under weak process
