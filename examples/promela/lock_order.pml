// An invalid end state: two processes take two locks in opposite order. If each has its first there
// is no way on, and neither is where a process may stay. The third, a service that waits for
// orders, may: that is what its label `end` says.
//
//     fairly check examples/promela/lock_order.pml
bool lock[2];
chan orders = [1] of { byte };
byte served;

active [2] proctype Worker() {
    byte other = 1 - _pid;
    atomic { !lock[_pid] -> lock[_pid] = true };
    atomic { !lock[other] -> lock[other] = true };
    orders!_pid;
    lock[other] = false;
    lock[_pid] = false
}

active proctype Service() {
    byte who;
end:
    do
    :: orders?who -> served++
    od
}

ltl all_served { <> (served == 2) }
ltl release { [] (lock[0] && lock[1] -> <> (!lock[0] || !lock[1])) }

// expect: states 66
// expect: assertions hold
// expect: end states invalid
// expect: ltl all_served violated under none
// expect: ltl all_served violated under weak process
// expect: ltl all_served violated under strong process
// expect: ltl release violated under none
// expect: ltl release violated under weak process
