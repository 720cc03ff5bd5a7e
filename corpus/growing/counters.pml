// grows: `a` (line 2)
int a, b, c;
active proctype A() { do :: a++ od }
active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od }
ltl p { [] (a + b + c >= 0) }
