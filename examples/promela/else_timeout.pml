// Three kinds of last resort. `else` looks at one choice in one process: no other option can be
// executed. `timeout` looks at the whole system: nothing else can be, in any process. So `else`
// wins whenever both could be meant, and `timeout` waits until all the others are at rest.
//
//     fairly check examples/promela/else_timeout.pml
chan box = [2] of { byte };
byte sent, taken, looks, alarms;

active proctype Sender() {
    do
    :: sent < 2 -> box!sent; sent++
    :: else -> break
    od
}

// Looks into the box three times at most; does not wait.
active proctype Impatient() {
    do
    :: looks < 3 ->
       if
       :: len(box) > 0 -> box?_; taken++
       :: else // Not now.
       fi;
       looks++
    :: else -> break
    od
}

// Comes if all the others are at rest, and takes what is left.
active proctype Janitor() {
    do
    :: timeout ->
       assert(sent == 2 && looks == 3);
       if
       :: box?_ -> taken++; alarms++
       :: empty(box) -> break
       fi
    od
}

ltl all_taken { <> (taken == 2) }
ltl no_alarm { [] (alarms == 0) }
ltl late { [] (alarms > 0 -> looks == 3) }

// expect: states 241
// expect: assertions hold
// expect: end states valid
// expect: ltl all_taken holds under none
// expect: ltl all_taken holds under weak process
// expect: ltl no_alarm violated under none
// expect: ltl no_alarm violated under weak process
// expect: ltl late holds under none
// expect: ltl late holds under weak process
