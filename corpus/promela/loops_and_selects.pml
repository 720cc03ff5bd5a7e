byte x, y; byte a[3];
active proctype P() { int i; for (i : 0 .. 2) { a[i] = i; x = x + a[i] }; for (i in a) { a[i] = 0 }; select (i : 1 .. 3); y = i; byte k = 2; int my_i; select (my_i : 0 .. k); y = my_i }
active proctype Q() { do :: x > 2 -> break :: y > 1 -> y = 0 :: x == 3 -> skip od }

// expect: states 388
// expect: assertions hold
// expect: end states valid
