// A `d_step` that runs tens of thousands of statements. What follows it is looked at.
int i;
bool bad;
active proctype P() { d_step { do :: i < 20000 -> i++ :: else -> break od }; bad = true; false }

ltl good { [] !bad }

// expect: states 3
// expect: assertions hold
// expect: end states invalid
// expect: ltl good violated under none
// expect: ltl good violated under weak process
