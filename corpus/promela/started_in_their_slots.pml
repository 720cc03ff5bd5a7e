// Which proctype has which number depends on who can end in between.
byte n;
proctype A() { n++ }
proctype B() { n++; n++ }
init { atomic { run A(); run B() }; (_nr_pr == 1); run B(); run A() }

// expect: states 28
// expect: assertions hold
// expect: end states valid
