// grows: nothing
int a, b, c;
active proctype A() { do :: a < 900 -> a++ :: else -> a = 0 od }
active proctype B() { do :: b < 900 -> b++ :: else -> b = 0 od }
active proctype C() { do :: c < 900 -> c++ :: else -> c = 0 od }
ltl p { [] (a + b + c >= 0) }
