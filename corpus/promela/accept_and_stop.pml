// A run that stops with a process at an accept label counts as one that passes it again and again.
byte x;
active proctype P() {
    x = 1;
accept:
    x == 0
}

// expect: states 2
// expect: assertions hold
// expect: end states invalid
// expect: acceptance violated under none
// expect: acceptance violated under weak process
