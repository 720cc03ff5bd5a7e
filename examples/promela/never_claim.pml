// A never claim, written by hand: an automaton that reads the states of a run, and must not accept
// it. This one accepts if from some moment on the lamp is dark for good, though somebody has
// pressed the button in the dark. A lamp with a weak contact may take the pressing and stay dark.
//
//     fairly check examples/promela/never_claim.pml
bool pressed;
bool bright;

active proctype Person() {
    do
    :: !pressed -> pressed = true
    od
}

active proctype Lamp() {
    do
    :: pressed ->
       if
       :: bright = !bright
       :: skip // The weak contact.
       fi;
       pressed = false
    od
}

// <> (pressed && !bright && [] !bright)
never {
    do
    :: pressed && !bright -> goto accept_dark
    :: true
    od;
accept_dark:
    do
    :: !bright
    od
}

// expect: states 10
// expect: assertions hold
// expect: end states valid
// expect: never violated under none
// expect: never violated under weak process
// expect: never violated under strong process
