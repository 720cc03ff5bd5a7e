/* A message that wraps is seen as it is stored; the receiver of an array of channels falls behind. */
chan c[2] = [2] of { byte, short };
byte i;
trace { c[0]!255,-1; c[1]!_,3; end1: do :: c[1]?1 :: c[0]?255,-1; c[0]!1,1; alone: od }
active proctype A() {
    short s = 65535;
    c[0]!511,s;
    do :: i < 2 -> d_step { c[1]!i,3; i++; c[1]?i,_ } :: break od;
    c[1]!i,3;
    d_step { c[0]?_,_; c[0]!1,1 };
    c[i]!1,1
}
active proctype B() { byte x; c[1]?x,_ }

// expect: states 19
// expect: assertions violated
// expect: end states valid
