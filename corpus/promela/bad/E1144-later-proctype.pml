byte x;
never { do :: P[0]@L -> x == 0 od }
proctype P() { L: x = 1 }
