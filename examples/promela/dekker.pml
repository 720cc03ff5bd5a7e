// Mutual exclusion by Dekker, the first for two processes that needs nothing but reading and
// writing (told by Dijkstra, 1965). If both want to enter, the one whose turn it is not steps back
// until it is. Waiting is busy here: a process that finds the door closed takes a step all the
// same.
//
//     fairly check examples/promela/dekker.pml
//     fairly check --fairness weak --level process examples/promela/dekker.pml
bool wish[2];
byte turn;
byte inside;

active [2] proctype Process() {
    pid other = 1 - _pid;
    do
    :: wish[_pid] = true;
       do
       :: !wish[other] -> break
       :: else ->
          if
          :: turn == other ->
             wish[_pid] = false;
             do
             :: turn == _pid -> break
             :: else // Look again.
             od;
             wish[_pid] = true
          :: else // Insist.
          fi
       od;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       turn = other;
       wish[_pid] = false
    od
}

ltl someone { [] <> (inside == 1) }
ltl first { [] <> Process[0]@critical }

// Nobody is ever blocked, so strong fairness demands no more than weak.

// expect: states 146
// expect: assertions hold
// expect: end states valid
// expect: ltl someone violated under none
// expect: ltl someone holds under weak process
// expect: ltl first violated under none
// expect: ltl first holds under weak process
// expect: ltl first holds under strong process
