byte n;
active proctype A() { do :: n < 40 -> n = pc_value(1) + pc_value(7) :: n > 4 -> break od }
active proctype B() {
    if :: n == 0; n = 1 :: n == 1 -> L: n = 2 fi;
    atomic { n = 3; n++ };
    d_step { n = 3; n++ };
    do :: n > 2 -> n = 0 :: { n == 2; n = 4 } unless { n == 3 } :: break od;
    for (n : 1 .. 3) { skip }
}

// expect: states 135
// expect: assertions hold
// expect: end states invalid
