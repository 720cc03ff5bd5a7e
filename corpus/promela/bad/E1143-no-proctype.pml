proctype Philosopher() { skip }
init { run Philosoper() }
