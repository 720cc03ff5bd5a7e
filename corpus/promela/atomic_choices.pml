// The end of a choice at the end of an atomic sequence is a step of its own.
byte x, y;
active [2] proctype P() {
    byte i;
    atomic {
        do :: i < 2 -> i++; x++ :: x > 2 -> break :: i == 2 -> break od
    };
    atomic { if :: x > 1 -> y++ :: else -> y--; y-- fi };
    do
    :: atomic { y > 0 -> y-- }
    :: atomic { x > 0 -> x--; if :: x == 0 -> goto done :: else fi; y = 0 }
    od;
done: skip
}

// expect: states 4436
// expect: assertions hold
// expect: end states invalid
