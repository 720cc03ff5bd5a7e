active proctype P() { enabled(1) }
active proctype Q() { enabled(0) }
