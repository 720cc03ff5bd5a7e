// A semaphore without a queue: whoever finds it free may take it. The other is able to take it
// again and again, but not without interruption, since each time it is taken in between. So weak
// fairness lets a process starve, and strong fairness does not.
//
//     fairly check --fairness weak --level process examples/promela/semaphore.pml
//     fairly check --fairness strong --level process examples/promela/semaphore.pml
byte free = 1;

inline acquire() { atomic { free > 0 -> free-- } }
inline release() { free++ }

active [2] proctype Process() {
    do
    :: acquire();
critical:
       skip;
       release()
    od
}

ltl exclusion { [] !(Process[0]@critical && Process[1]@critical) }
ltl someone { [] <> (Process[0]@critical || Process[1]@critical) }
ltl first { [] <> Process[0]@critical }

// expect: states 5
// expect: assertions hold
// expect: end states valid
// expect: ltl exclusion holds under none
// expect: ltl exclusion holds under weak process
// expect: ltl someone holds under none
// expect: ltl someone holds under weak process
// expect: ltl first violated under none
// expect: ltl first violated under weak process
// expect: ltl first holds under strong process
