// `provided`: a process takes a step only while the condition after its name holds, whatever its
// statement says. A machine runs while its guard is closed; who opens the guard stops it between
// any two steps, and nothing inside the machine knows about it. Fairness asks nothing of a process
// that is stopped: weak fairness is content if the guard is opened again and again.
//
//     fairly check --fairness weak --level process examples/promela/provided.pml
//     fairly check --fairness strong --level process examples/promela/provided.pml
bool closed = true;
byte position; // Of the press, 0 to 2.
bool hand;

// The worker comes first on purpose: to SPIN 6.5 a process that `provided` stops is not blocked for
// the processes after it, and the other way round it calls `strokes` true under weak fairness.
active proctype Worker() {
    do
    :: closed = false;
       hand = true;
       hand = false;
       closed = true
    od
}

active proctype Machine() provided (closed) {
    do
    :: position < 2 ->
       assert(!hand);
       position++
    :: else ->
       assert(!hand);
progress_stroke:
       position = 0
    od
}

ltl no_hand { [] (hand -> !closed) }
ltl stands { [] (hand -> (position == 0 -> position == 0 W closed)) }
ltl strokes { [] <> (position == 2) }

// expect: states 36
// expect: assertions hold
// expect: end states valid
// expect: ltl no_hand holds under none
// expect: ltl no_hand holds under weak process
// expect: ltl stands holds under none
// expect: ltl stands holds under weak process
// expect: ltl strokes violated under none
// expect: ltl strokes violated under weak process
// expect: ltl strokes holds under strong process
// expect: progress violated under none
// expect: progress violated under weak process
