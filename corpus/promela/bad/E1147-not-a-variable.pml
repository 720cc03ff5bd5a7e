proctype P() { skip }
init { byte x; x = 1; goto x }
