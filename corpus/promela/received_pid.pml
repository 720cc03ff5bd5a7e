// `_pid` in a receive is no variable: a message must hold the own number, and a poll takes any.
mtype = { go, stop };
chan env = [2] of { mtype, byte };
byte got;
active proctype A() { env!go(_pid); (env?[go, _pid]) -> env?go(_pid); got++; env!stop(_pid); env?<stop, _pid>; got++ }

// expect: states 9
// expect: assertions hold
// expect: end states valid
