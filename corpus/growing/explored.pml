// grows: nothing
// The first questions explore all states, 4,504 of them; the last is cut in its product.
int n;
int k;
active proctype P() { do :: k < 1500 -> k++; n = k * 7 :: else -> break od; assert(n >= 0) }
ltl q { [] ((n == 35) -> <> (n == 7000)) }
