// Processes that one place starts one after the other: each has its slot, and parameters that it keeps.
chan ring[3] = [1] of { byte };
byte passed;
proctype Station(byte here; byte left_to_do) {
    byte token;
    do
    :: left_to_do > 0 -> ring[here]?token; passed = passed + here; left_to_do--; ring[(here + 1) % 3]!token
    :: left_to_do == 0 -> break
    od
}
proctype Last(byte here) { byte heard; here < 3; ring[here]!7; ring[2]?heard }
init {
    atomic {
        passed = 1;
        run Station(0, 2);
        run Station(1, 2);
        run Last(0)
    };
    passed = passed + 100
}

// expect: states 81
// expect: end states invalid
