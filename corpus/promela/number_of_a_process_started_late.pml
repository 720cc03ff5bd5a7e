// Whether the first process has ended when the second one starts decides the number of the second. A reduction
// that lets processes end at once misses the assertion.
proctype W() { assert(_pid == 1) }
init { run W(); run W() }

// expect: states 12
// expect: assertions violated
