byte x;
active proctype P() { x = pc_value(0) }
