/* The second receiver comes to a receive that only the first may execute. It never can. */
chan c = [2] of { byte };
byte n;
active proctype First() { byte x; xr c; do :: c?x; n = x od }
active proctype Sender() { xs c; do :: nfull(c) -> c!1 od }
active proctype Second() { byte x; n == 1 -> (n == 0 && len(c) == 7); c?x }
active proctype Third() { byte x; n == 1; c?2 }

// expect: states 50
// expect: assertions violated
// expect: end states valid
