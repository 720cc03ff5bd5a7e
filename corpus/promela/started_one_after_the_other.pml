// Processes that leave before the next is started: the same slot has one after the other.
byte seen;
proctype Once(byte number) { seen = seen + number }
init {
    atomic { run Once(1); run Once(2) };
    run Once(3);
    atomic { run Once(4); seen > 5; run Once(5) };
    run Once(seen)
}

// expect: states 1400
// expect: end states valid
