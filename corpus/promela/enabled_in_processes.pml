byte n;
chan c = [1] of { byte };
active proctype A() {
    do
    :: enabled(2) && !enabled(1) -> n = 1
    :: !enabled(2) -> n = 2
    :: enabled(5)
    :: n == 1 -> break
    od
}
active proctype B() provided (n != 4) { c?n; c?n; c!3; timeout }
active proctype C() { c!2; c!3; d_step { n == 2; n = 3 } }

// expect: states 106
// expect: assertions hold
// expect: end states invalid
