// grows: `n` (line 2)
int n;
active proctype P() { do :: n++ :: n = 0 :: assert(n >= 0) od }
