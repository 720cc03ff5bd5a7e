byte x;
init { byte x; x = 1 }
