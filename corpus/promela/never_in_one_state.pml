/* Statements in atomic look at one state; what blocks there is given up. */
byte x;
active proctype P() { do :: x = 1 :: x = 2 :: x = 0 od }
never {
    do
    :: atomic { x == 1 -> x == 2; goto accept }
    :: atomic { x == 2 -> assert(x != 1) }
    :: true
    od;
accept:
    do :: true od
}

// expect: states 3
// expect: assertions hold
// expect: end states valid
// expect: never holds under none
// expect: never holds under weak process
