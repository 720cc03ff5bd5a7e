// Each process has channels of its own, which go with it; their numbers go from hand to hand.
chan mail = [1] of { chan, byte };
active proctype Server() { chan back; byte v; do :: mail?back,v -> back!v+1 od }
proctype Client(byte v) { chan own[2] = [1] of { byte }; byte r; mail!own[v % 2],v; own[v % 2]?r; assert(r == v + 1) }
init { run Client(1); run Client(2); (_nr_pr == 2); run Client(3) }

// expect: states 84
// expect: assertions hold
// expect: end states invalid
