// Two workers share a lock that has no queue: whoever finds it free may take it.
bool free = true;

active [2] proctype Worker() {
    do
    :: true ->                          // work without the lock
wants: atomic { free -> free = false }  // wait for the lock, and take it
works: skip;                            // here with the lock
       free = true                      // give it back
    od
}

// Never both at once: safety, which needs no fairness.
ltl exclusive { [] !(Worker[0]@works && Worker[1]@works) }

// Whoever wants the lock gets it: liveness. It fails, since the other may always be faster.
// Try `--fairness weak`, then `--fairness strong`, and ask `fairly least` what is needed.
ltl served { [] (Worker[0]@wants -> <> Worker[0]@works) }
