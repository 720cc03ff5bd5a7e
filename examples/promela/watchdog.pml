// A watchdog: `timeout` is true if nothing else can happen in the whole system. The server may
// hang; then nobody can go on, the watchdog comes and starts it anew. Without it the model would
// end where it must not. A request is answered in the end, unless the server hangs every time.
//
//     fairly check examples/promela/watchdog.pml
mtype = { request, reply, reset };
chan to_server = [1] of { mtype };
chan to_client = [1] of { mtype };
bool hangs;
byte resets; // Up to 2.

active proctype Client() {
    do
    :: to_server!request;
waiting:
       if
       :: to_client?reply -> progress_served: skip
       :: to_client?reset // Ask again.
       fi
    od
}

active proctype Server() {
    do
    :: to_server?request ->
       if
       :: to_client!reply
       :: hangs = true; !hangs
       fi
    od
}

active proctype Watchdog() {
end:
    do
    :: timeout ->
       assert(hangs); // Nothing else brings the system to a halt.
       hangs = false;
       if
       :: resets < 2 -> resets++
       :: else
       fi;
       to_client!reset
    od
}

ltl recovers { [] (hangs -> <> !hangs) }
ltl served { [] (Client@waiting -> <> Client@progress_served) }
ltl few_resets { [] (resets < 2) }

// expect: states 46
// expect: assertions hold
// expect: end states valid
// expect: ltl recovers holds under none
// expect: ltl recovers holds under weak process
// expect: ltl served violated under none
// expect: ltl served violated under weak process
// expect: ltl served violated under strong process
// expect: ltl few_resets violated under none
// expect: ltl few_resets violated under weak process
// expect: progress violated under none
// expect: progress violated under weak process
