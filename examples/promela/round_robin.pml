// A round-robin scheduler as data, not as an assumption: each of three tasks runs only while it is
// its turn, and a task that yields passes the turn on. A task that never yields keeps the
// processor, but the scheduler takes it back after a slice. So the order of steps is fixed by the
// model, and what fairness would have to promise otherwise holds without any, up to the choices of
// the tasks.
//
//     fairly check examples/promela/round_robin.pml
#define TASKS 3
#define SLICE 2
#define SCHEDULER 0

byte running = SCHEDULER; // Who has the processor, by its number as a process.
byte used;                // How much of its slice it has used.
byte work[TASKS + 1];     // Modulo 2.

active proctype Scheduler() {
    byte next = 1;
    do
    :: running == SCHEDULER || used >= SLICE ->
progress:
       d_step {
           used = 0;
           running = next;
           next = next % TASKS + 1
       }
    od
}

// A condition after `provided` sees global variables and the number of the process, no others.
active [TASKS] proctype Task() provided (running == _pid && used < SLICE) {
    do
    :: atomic { work[_pid] = 1 - work[_pid]; used++ }
    :: used = SLICE // Yields.
    od
}

ltl scheduled { [] <> (running == 1) && [] <> (running == 3) }
ltl in_turn { [] (running == 1 -> (running == 1 W running == 2)) }
ltl works { [] <> (work[1] == 1) }

// expect: states 98
// expect: assertions hold
// expect: end states valid
// expect: ltl scheduled holds under none
// expect: ltl scheduled holds under weak process
// expect: ltl in_turn holds under none
// expect: ltl in_turn holds under weak process
// expect: ltl works violated under none
// expect: ltl works violated under weak process
// expect: ltl works violated under strong process
// expect: progress holds under none
// expect: progress holds under weak process
