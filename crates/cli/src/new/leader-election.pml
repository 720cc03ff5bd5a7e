// Leader election in a ring: every node sends its number to the next one, and the node whose own
// number comes back is the leader. There is a mistake: small numbers are passed on as well.
#define N 3
#define FIXED 0                 // 1: a node drops numbers that are smaller than its own

chan ring[N] = [N] of { byte };
byte leaders;

active [N] proctype Node() {
    byte got;
    ring[(_pid + 1) % N]!_pid;
end:
    do
    :: ring[_pid]?got ->
       if
       :: got == _pid -> leaders++; break
       :: got > _pid -> ring[(_pid + 1) % N]!got
       :: got < _pid ->
          if
          :: FIXED                                      // dropped
          :: !FIXED -> ring[(_pid + 1) % N]!got
          fi
       fi
    od
}

// Safety: there is never a second leader. It fails; follow the two numbers through the run, set
// FIXED to 1 and check again.
ltl one_leader { [] (leaders <= 1) }

// Liveness: a leader is elected. It holds without fairness: messages cannot go round for ever.
// Let every node start its number again and again, and find out which fairness it needs then.
ltl elected { <> (leaders >= 1) }
