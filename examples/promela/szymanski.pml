// Mutual exclusion by Szymanski (1988) for three processes: a waiting room with two doors. The door
// in closes behind the last who came together; the door out opens when it is closed, and they go
// through in the order of their numbers. The stages are the five values of one variable a process:
// 0 outside, 1 wants in, 2 waits for others to come in, 3 in the door, 4 door in closed.
//
//     fairly check --fairness weak --level process examples/promela/szymanski.pml
#define N 3
#define none_above(s) (stage[0] <= s && stage[1] <= s && stage[2] <= s)
#define some_at(s) (stage[0] == s || stage[1] == s || stage[2] == s)
#define low(j) (j >= _pid || stage[j] < 2)
#define out_or_through(j) (j <= _pid || stage[j] < 2 || stage[j] > 3)

byte stage[N];
byte inside;

active [N] proctype Process() {
    do
    :: stage[_pid] = 1;
asked: none_above(2);
       stage[_pid] = 3;
       if
       :: some_at(1) ->
          stage[_pid] = 2;
          some_at(4)
       :: else
       fi;
       stage[_pid] = 4;
       (low(0) && low(1));
       inside++;
critical:
       assert(inside == 1);
       inside--;
       (out_or_through(1) && out_or_through(2));
       stage[_pid] = 0
    od
}

ltl first { [] <> Process[0]@critical }
ltl last { [] (Process[2]@asked -> <> Process[2]@critical) }

// expect: states 805
// expect: assertions hold
// expect: end states valid
// expect: ltl first violated under none
// expect: ltl first holds under weak process
// expect: ltl first holds under strong process
// expect: ltl last holds under none
// expect: ltl last holds under weak process
