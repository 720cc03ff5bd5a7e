proctype P() { skip }
init { byte x = run P(); skip }
