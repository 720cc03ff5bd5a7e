byte x;
proctype Q() { skip }
init { x = run Q() + run Q() }
