byte n;
chan c = [2] of { byte };
active proctype A() {
    d_step { timeout; n = 1 + timeout };
    n = timeout;
    c!timeout;
    d_step { n = 2; if :: timeout -> n = 1 :: else fi };
    d_step { (n > 2 || timeout) -> if :: timeout -> n = 4 :: else -> n = 5 fi };
    c?n
}
active proctype B() { skip; n = 7; n == 0 -> skip }

// expect: states 23
// expect: assertions hold
// expect: end states valid
