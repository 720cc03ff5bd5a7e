// A label of a jump that is looked at from outside.
byte x;
active proctype P() {
 do
 :: x < 3 -> x++
 :: else -> L1: goto done
 od;
done: x = 9
}
active proctype Q() { P[0]@L1; x = 7; L2: goto e; x = 2; e: skip }

// expect: states 27
// expect: assertions hold
// expect: end states invalid
