byte n;
active [3] proctype P() { byte k; n++; L: n == 2; k = n; n = 5; M: skip }
active proctype A() { do :: P@L -> n = 3 :: P@M -> n = 2 :: P:k == 2 -> n = 8 :: n == 9 -> break od }

// expect: states 12924
// expect: assertions hold
// expect: end states invalid
