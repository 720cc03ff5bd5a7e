proctype P(byte a[3]) { skip }
init { skip }
