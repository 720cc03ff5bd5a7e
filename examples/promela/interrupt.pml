// `unless`: as soon as the escape can be executed it goes before what is guarded, at every
// statement. A computation is interrupted, the handler runs, and the computation goes on from where
// the handler sends it. The priority is within the process: the device may come at any time, but
// the computation may also be done before it does.
//
//     fairly check examples/promela/interrupt.pml
//     fairly check --fairness weak --level process examples/promela/interrupt.pml
#define STEPS 3

bool interrupt;
byte handled;
byte done; // Modulo 2.
byte step;

active proctype Processor() {
restart:
    {
        do
        :: step < STEPS -> assert(!interrupt); step++ // Else the escape would go first.
        :: else -> step = 0; done = 1 - done
        od
    } unless {
        interrupt ->
handler:
        d_step { handled++; step = 0 }
        interrupt = false;
        goto restart
    }
}

active proctype Device() {
    do
    :: handled < 2 && !interrupt -> interrupt = true
    :: handled >= 2 -> break
    od
}

ltl at_once { [] (interrupt -> <> !interrupt) }
ltl all_handled { <> (handled == 2) }
ltl goes_on { [] <> (step == STEPS) }

// expect: states 255
// expect: assertions hold
// expect: end states valid
// expect: ltl at_once holds under none
// expect: ltl at_once holds under weak process
// expect: ltl all_handled violated under none
// expect: ltl all_handled holds under weak process
// expect: ltl all_handled holds under strong process
// expect: ltl goes_on holds under none
// expect: ltl goes_on holds under weak process
