// Progress: a state with a label that begins with `progress` must come again and again. Two
// processes are too polite: each steps back if it sees the other, and they may do so in step for
// ever. That is a cycle without progress in which both take part, so weak fairness does not exclude
// it, nor does any other fairness to processes.
//
//     fairly check examples/promela/non_progress.pml
bool wish[2];
byte inside;

active [2] proctype Polite() {
    do
    :: wish[_pid] = true;
       if
       :: wish[1 - _pid] -> wish[_pid] = false // After you.
       :: else ->
          inside++;
progress: assert(inside == 1);
          inside--;
          wish[_pid] = false
       fi
    od
}

ltl exclusion { [] (inside <= 1) }
ltl someone { [] <> (inside > 0) }

// expect: states 33
// expect: assertions hold
// expect: end states valid
// expect: ltl exclusion holds under none
// expect: ltl exclusion holds under weak process
// expect: ltl someone violated under none
// expect: ltl someone violated under weak process
// expect: ltl someone violated under strong process
// expect: progress violated under none
// expect: progress violated under weak process
