// Mutual exclusion by Peterson (1981) for two processes. Each announces its wish, gives the other
// the turn, and waits until the other has no wish or has given the turn back. A process may rest
// for as long as it likes, so nobody must enter again and again; but who has asked gets in, as soon
// as every process that can always go on does go on.
//
//     fairly check examples/promela/peterson.pml
//     fairly check --fairness weak --level process examples/promela/peterson.pml
bool wish[2];
byte turn;
byte inside;

active [2] proctype Process() {
    do
    :: true -> skip // Rest. SPIN refuses a loop of a single step.
    :: wish[_pid] = true;
asked:  turn = 1 - _pid;
        (!wish[1 - _pid] || turn == _pid);
        inside++;
critical:
        assert(inside == 1);
        inside--;
        wish[_pid] = false
    od
}

ltl exclusion { [] (inside <= 1) }
ltl answered { [] (Process[0]@asked -> <> Process[0]@critical) }
ltl again { [] <> Process[0]@critical }

// The processes are never blocked for good, but resting is a choice that no fairness to processes
// takes away.

// expect: states 58
// expect: assertions hold
// expect: end states valid
// expect: ltl exclusion holds under none
// expect: ltl exclusion holds under weak process
// expect: ltl answered violated under none
// expect: ltl answered holds under weak process
// expect: ltl answered holds under strong process
// expect: ltl again violated under none
// expect: ltl again violated under weak process
// expect: ltl again violated under strong process
