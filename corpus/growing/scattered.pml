// grows: `seed` (line 2)
int seed = 1;
active proctype P() { do :: seed = (seed * 1103 + 12345) % 1000003; assert(seed >= 0) od }
