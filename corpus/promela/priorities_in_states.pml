/* States that differ only in a priority are different. */
byte n, m;
active proctype A() priority 4 {
    do
    :: atomic { n = 1; m = 1; n = 0 }; m = 0
    :: m == 0 -> set_priority(_pid, 1 + get_priority(_pid) % 5)
    od
}
active proctype B() priority 3 {
    do
    :: n == 1 -> n = 2
    :: m == 1 -> m = 2; _priority = 5 - _priority % 4
    od
}

// expect: states 129
// expect: assertions hold
// expect: end states valid
