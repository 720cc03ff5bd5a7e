byte x;
active proctype P() { do :: x = 1 - x od }
never { atomic { do :: x == 0 -> x < 3 :: x == 1 od } }
