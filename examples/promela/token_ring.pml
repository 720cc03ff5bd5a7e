// Mutual exclusion by a token that goes around a ring of three stations. Who has it may enter, and
// passes it on. A message may wait in the link to a station: then nobody is inside. There is always
// something that only one process can do, so that everybody's turn comes without any fairness. An
// idle clock that always ticks takes that away, and weak fairness gives it back.
//
//     fairly check examples/promela/token_ring.pml
//     fairly check --fairness weak --level process examples/promela/token_ring.pml
#define N 3

mtype = { token };
chan link[N] = [1] of { mtype };
byte inside;
bit tick;

active [N] proctype Station() {
    if
    :: _pid == 0 -> link[0]!token
    :: else
    fi;
    do
    :: link[_pid]?token ->
       if
       :: inside++;
critical:
          assert(inside == 1);
          inside--
       :: skip // It has nothing to do inside.
       fi;
progress_pass:
       link[(_pid + 1) % N]!token
    od
}

active proctype Clock() {
    do
    :: tick = 1 - tick
    od
}

#define on_the_way (len(link[0]) + len(link[1]) + len(link[2]))

ltl single_token { [] (on_the_way + inside <= 1) }
ltl comes_back { [] (link[0]?[token] -> <> link[1]?[token]) }
ltl enters { [] <> Station[0]@critical }

// expect: states 92
// expect: assertions hold
// expect: end states valid
// expect: ltl single_token holds under none
// expect: ltl single_token holds under weak process
// expect: ltl comes_back violated under none
// expect: ltl comes_back holds under weak process
// expect: ltl comes_back holds under strong process
// expect: ltl enters violated under none
// expect: ltl enters violated under weak process
// expect: ltl enters violated under strong process
// expect: progress violated under none
// expect: progress holds under weak process
