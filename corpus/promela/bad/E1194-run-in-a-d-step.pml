proctype Q() { skip }
init { d_step { run Q(); skip } }
