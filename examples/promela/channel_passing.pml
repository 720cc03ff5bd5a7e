// Channels as values: a client sends the server the end of a channel of its own, by rendezvous, and
// the server answers there. Nobody else gets the answer. The clients come as they like, and the
// server takes whoever meets it, so one may never be met: only strong fairness helps.
//
//     fairly check --fairness weak --level process examples/promela/channel_passing.pml
//     fairly check --fairness strong --level process examples/promela/channel_passing.pml
#define CLIENTS 2

mtype = { ask, answer };
chan door = [0] of { mtype, byte, chan };

active [CLIENTS] proctype Client() {
    chan mine = [0] of { mtype, byte };
    byte n;
    do
    :: door!ask, _pid, mine;
       mine?answer, n;
served:
       assert(n == _pid + 10);
       n = 0
    od
}

active proctype Server() {
    chan theirs;
    byte who;
end:
    do
    :: door?ask, who, theirs ->
       theirs!answer, who + 10;
progress:
       who = 0
    od
}

ltl someone { [] <> (Client[0]@served || Client[1]@served) }
ltl first { [] <> Client[0]@served }

// expect: states 43
// expect: assertions hold
// expect: end states valid
// expect: ltl someone holds under none
// expect: ltl someone holds under weak process
// expect: ltl first violated under none
// expect: ltl first violated under weak process
// expect: ltl first holds under strong process
// expect: progress holds under none
// expect: progress holds under weak process
