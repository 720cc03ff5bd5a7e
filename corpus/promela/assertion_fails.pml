byte x;
active [2] proctype P() { byte t; t = x; x = t + 1; t = 0; assert(x != 1 || _nr_pr == 2); assert(x < 2) }

// expect: states 81
// expect: assertions violated
// expect: end states valid
