byte x;
active [2] proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
active proctype W() { do :: _last == 0 -> x = 0 :: _last == 1 && x == 2 -> x = 3 od }

// expect: states 10821
// expect: assertions hold
// expect: end states valid
