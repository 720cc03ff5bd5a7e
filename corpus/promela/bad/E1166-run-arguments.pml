proctype P(byte x; byte y) { skip }
init { run P(1) }
