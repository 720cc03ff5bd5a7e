// The run stops, but not at the accept label.
byte x;
active proctype P() {
accept:
    x = 1;
    x == 0
}

// expect: states 2
// expect: assertions hold
// expect: end states invalid
// expect: acceptance holds under none
// expect: acceptance holds under weak process
