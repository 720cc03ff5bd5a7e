// Cache coherence by MSI: two caches hold one line each, which is modified, shared or invalid. They
// listen on a bus, here the one step in which everybody changes. A modified line is in no other
// cache, and what is read is what was last written. Lines may be evicted at any time.
//
//     fairly check examples/promela/msi.pml
#define N 2

mtype:line = { modified, shared, invalid };
typedef Cache {
    mtype:line state = invalid;
    bit value
}
Cache cache[N];
bit memory;
bit latest; // The value written last, by whomever.

#define other (1 - _pid)

// Put the modified line of the other into memory, leaving it in another state.
inline snoop(after) {
    if
    :: cache[other].state == modified -> memory = cache[other].value; cache[other].state = after
    :: cache[other].state == shared -> cache[other].state = after
    :: else
    fi
}

active [N] proctype Processor() {
    bit v;
    do
    // Read.
    :: d_step {
           cache[_pid].state == invalid ->
           snoop(shared);
           cache[_pid].value = memory;
           cache[_pid].state = shared
       }
    :: atomic {
           cache[_pid].state != invalid ->
           assert(cache[_pid].value == latest)
       }
    // Write.
    :: atomic {
           select (v : 0 .. 1);
           d_step {
               snoop(invalid);
               cache[_pid].state = modified;
               cache[_pid].value = v;
               latest = v;
               v = 0
           }
       }
    // Evict.
    :: d_step {
           cache[_pid].state != invalid ->
           if
           :: cache[_pid].state == modified -> memory = cache[_pid].value
           :: else
           fi;
           cache[_pid].state = invalid;
           cache[_pid].value = 0
       }
    od
}

ltl single { [] !(cache[0].state == modified && cache[1].state != invalid) }
#define written_to(i) (cache[i].state == modified)
ltl written_back { [] (written_to(0) || written_to(1) || memory == latest) }
ltl loses_it { [] (cache[0].state == modified -> <> (cache[0].state != modified)) }

// expect: states 32
// expect: assertions hold
// expect: end states valid
// expect: ltl single holds under none
// expect: ltl single holds under weak process
// expect: ltl written_back holds under none
// expect: ltl written_back holds under weak process
// expect: ltl loses_it violated under none
// expect: ltl loses_it holds under weak process
// expect: ltl loses_it holds under strong process
