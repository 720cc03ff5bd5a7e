byte x;
proctype Q() { skip }
init { x = 1 + run Q() }
