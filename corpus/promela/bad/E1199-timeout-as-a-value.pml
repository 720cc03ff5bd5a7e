byte x;
active proctype P() { x = (timeout -> 1 : 2) }
