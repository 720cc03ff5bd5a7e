/* Channels, timeouts, provided and atomic sequences under priorities. */
byte n;
chan c = [1] of { byte };
active proctype A() priority 2 { byte x; do :: c?x -> n = x od }
active proctype B() priority 5 { do :: c!1 :: c!2 :: timeout -> n = 0 od }
active proctype C() priority 3 provided (n != 1) { do :: atomic { n == 2 -> n = 3; n = 4; n = 1 } od }

// expect: states 21
// expect: assertions hold
// expect: end states valid
