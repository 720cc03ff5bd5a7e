chan c = [2] of { byte };
notrace { c!1; do :: c!2 :: c?1; break od }
active proctype A() { do :: c!1 :: c!2 od }
active proctype B() { byte x; do :: c?x od }

// expect: states 21
// expect: assertions violated
// expect: end states valid
