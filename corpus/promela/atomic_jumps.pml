// Jumps out of, into, and between atomic sequences.
byte x;
active proctype P() {
    atomic { x++; if :: x > 3 -> goto out :: else -> goto in fi };
    x = 20;
out:
    x = 0;
    atomic { x = 2; in: x++; x++; goto next };
    x = 30;
next:
    atomic { x--; x--; goto last };
    skip;
last:
    skip
}
active [2] proctype Q() { atomic { x == 1 -> x = 5 }; x = 6 }

// expect: states 14
// expect: assertions hold
// expect: end states invalid
