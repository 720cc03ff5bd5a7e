proctype P(byte x) provided (x > 0) { skip }
init { run P(1) }
