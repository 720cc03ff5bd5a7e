/* A process that is run has priority 1 unless run says otherwise. */
byte n;
init priority 3 {
    run W(1) priority 2;
    run W(2) priority 7;
    run W(3);
    n == 6 -> set_priority(1, 9)
}
proctype W(byte x) priority 5 {
    n = n + x;
    d_step { n > 3; n = n + get_priority(_pid) - _priority };
    if :: _priority = 4 :: n = n + 1 fi
}

// expect: states 55
// expect: assertions hold
// expect: end states invalid
