// Loops, jumps and choices inside `d_step` are one step, and the first option that can be is taken.
byte x, y; chan c = [3] of { byte };
active [2] proctype P() {
    byte i;
    d_step { i = 0; do :: i < 5 -> i++; if :: i == 3 -> goto three :: else fi; x++ :: else -> break od; y = 1; three: x = i };
    d_step { x > 0 && nfull(c) -> c!x; x = 0; i = 0 };
    d_step { if :: x == 1 -> y = 2 :: x == 0 -> y = 3; c?x :: else -> y = 4 fi; i = 9 };
    c!i
}

// expect: states 80
// expect: assertions hold
// expect: end states valid
