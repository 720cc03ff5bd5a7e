// Peterson's algorithm for three processes, the filter: on each of two levels one process at most
// is held back, so that one at most comes through both. To be overtaken a process must be overtaken
// by somebody who comes to its level last, and that sets it free for good: weak fairness is enough.
//
//     fairly check --fairness weak --level process examples/promela/peterson_n.pml
#define N 3
#define OTHERS_BELOW(l) (level[(_pid + 1) % N] < l && level[(_pid + 2) % N] < l)

byte level[N]; // 0: no wish.
byte last[N];  // Who came last to a level.
byte inside;

active [N] proctype Process() {
    byte l;
    do
    :: l = 1;
       do
       :: l < N ->
          level[_pid] = l;
          last[l] = _pid;
          (last[l] != _pid || OTHERS_BELOW(l));
          l++
       :: else -> break
       od;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       level[_pid] = 0
    od
}

ltl someone { [] <> (inside == 1) }
ltl first { [] <> Process[0]@critical }

// expect: states 2973
// expect: assertions hold
// expect: end states valid
// expect: ltl someone holds under none
// expect: ltl someone holds under weak process
// expect: ltl first violated under none
// expect: ltl first holds under weak process
// expect: ltl first holds under strong process
