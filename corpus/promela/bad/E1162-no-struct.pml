byte x;
init { x.y = 2 }
