// Progress that needs fairness: a worker and an idler. Without fairness the idler alone may run for
// ever, a cycle without progress. With weak fairness of processes the worker, which can always go
// on, does so.
//
//     fairly check examples/promela/fair_progress.pml
//     fairly check --fairness weak --level process examples/promela/fair_progress.pml
byte jobs; // Modulo 3.
bit idle;

active proctype Worker() {
    do
    :: jobs < 2 -> jobs++
    :: else ->
progress_delivered:
       jobs = 0
    od
}

active proctype Idler() {
    do
    :: idle = 1 - idle
    od
}

ltl delivers { [] <> (jobs == 0) }
ltl bounded { [] (jobs <= 2) }

// expect: states 12
// expect: assertions hold
// expect: end states valid
// expect: ltl delivers violated under none
// expect: ltl delivers holds under weak process
// expect: ltl delivers holds under strong process
// expect: ltl bounded holds under none
// expect: ltl bounded holds under weak process
// expect: progress violated under none
// expect: progress holds under weak process
