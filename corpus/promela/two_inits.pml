// SPIN starts every `init`.
byte x;
init { x = 1; assert(_nr_pr <= 2) }
init { x = x + 2; assert(_pid == 1) }

// expect: states 20
// expect: assertions hold
// expect: end states valid
