// Mutual exclusion by Dijkstra (1965), the first for any number of processes. There is no deadlock:
// somebody always gets in. But nobody is promised that it is he: the turn is for whoever takes it
// while its holder rests. Since waiting is busy and no process is ever blocked, no fairness to
// processes helps, however strong.
//
//     fairly check --fairness strong --level process examples/promela/dijkstra.pml
#define N 2

bool wish[N];
bool ahead[N]; // Has the turn and looks whether another believes the same.
byte turn;
byte inside;

active [N] proctype Process() {
    byte j;
    do
    :: wish[_pid] = true;
retry:
       if
       :: turn != _pid ->
          ahead[_pid] = false;
          if
          :: !wish[turn] -> turn = _pid
          :: else
          fi;
          goto retry
       :: else
       fi;
       ahead[_pid] = true;
       for (j : 0 .. N - 1) {
           if
           :: j != _pid && ahead[j] -> goto retry
           :: else
           fi
       }
       inside++;
critical:
       assert(inside == 1);
       inside--;
       ahead[_pid] = false;
       wish[_pid] = false
    od
}

ltl someone { [] <> (inside == 1) }
ltl first { [] <> Process[0]@critical }

// expect: states 1122
// expect: assertions hold
// expect: end states valid
// expect: ltl someone violated under none
// expect: ltl someone holds under weak process
// expect: ltl someone holds under strong process
// expect: ltl first violated under none
// expect: ltl first violated under weak process
// expect: ltl first violated under strong process
