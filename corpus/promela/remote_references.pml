// Labels and variables of other processes.
byte x;
active [2] proctype P() { byte mine = _pid; do :: x < 2 -> x++; busy: mine = x; skip :: x > 1 -> x = 1; mine = 0 od }
active proctype W() { do :: P[0]@busy -> x = 0 :: P[1]:mine == 2 && !P[1]@busy -> x = 2; break od; goto end_here; end_here: skip }

// expect: states 6669
// expect: assertions hold
// expect: end states valid
