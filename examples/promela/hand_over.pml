// Atomic sequences hand over by rendezvous: if a send inside `atomic` meets a receive inside
// another `atomic`, the receiver goes on without interruption, and the sender gets the right back
// only when it can. So a baton goes through three runners in one go, and the spectator never sees
// it between two of them. If a sequence blocks, the spectator may look; that is the only time.
//
//     fairly check examples/promela/hand_over.pml
chan pass[3] = [0] of { byte };
byte holder; // 3 after the last runner.
byte laps;
bool seen_between;

proctype Runner(byte me) {
    byte speed;
end:
    do
    :: atomic {
           pass[me]?speed ->
           holder = me;
           if
           :: me < 2 -> pass[me + 1]!(speed + 1)
           :: else -> assert(speed == 2); holder = 3
           fi;
           speed = 0
       }
    od
}

active proctype Spectator() {
end:
    do
    :: d_step { holder == 1 || holder == 2 -> seen_between = true }
    od
}

init {
    atomic {
        run Runner(0);
        run Runner(1);
        run Runner(2)
    }
    do
    :: laps < 2 ->
       atomic { pass[0]!0; laps++ };
       assert(!seen_between)
    :: else -> break
    od
}

ltl in_one_go { [] !seen_between }
ltl arrives { <> [] (holder == 3) }

// expect: states 43
// expect: assertions hold
// expect: end states valid
// expect: ltl in_one_go holds under none
// expect: ltl in_one_go holds under weak process
// expect: ltl arrives holds under none
// expect: ltl arrives holds under weak process
