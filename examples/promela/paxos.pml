// Paxos for one decree (Lamport, 1998): two proposers, three acceptors. A proposer asks for
// promises under its ballot; if a majority promises it proposes the value of the highest ballot
// among the answers, or its own if there is none, and a value that a majority accepts is chosen. An
// exchange with one acceptor is a rendezvous and may fail to take place. Two different values are
// never chosen.
//
//     fairly check examples/promela/paxos.pml
#define ACCEPTORS 3
#define MAJORITY 2

mtype = { prepare, accept };
// What is asked, ballot, value, and where the answer goes: yes, ballot and value accepted before.
chan ask[ACCEPTORS] = [0] of { mtype, byte, byte, chan };
byte chosen; // 0: nothing yet.

proctype Acceptor(byte me) {
    byte promised, ballot, accepted_ballot, value, v;
    chan answer;
end:
    do
    :: atomic { ask[me]?prepare, ballot, _, answer ->
           answer!(ballot > promised), accepted_ballot, value;
           promised = (ballot > promised -> ballot : promised);
           ballot = 0
       }
    :: atomic { ask[me]?accept, ballot, v, answer ->
           answer!(ballot >= promised), 0, 0;
           if
           :: ballot >= promised -> promised = ballot; accepted_ballot = ballot; value = v
           :: else
           fi;
           ballot = 0; v = 0
       }
    od
}

proctype Proposer(byte mine) { // Its ballot, and the value that it likes.
    chan answer = [1] of { bool, byte, byte };
    byte a, count, highest, b, v, value = mine;
    bool ok;
    do
    :: atomic { a < ACCEPTORS ->
           if
           :: ask[a]!prepare, mine, 0, answer;
              answer?ok, b, v; count = count + ok;
              if
              :: ok && b > highest -> highest = b; value = v
              :: else
              fi
           :: skip
           fi;
           a++; ok = false; b = 0; v = 0
       }
    :: else -> break
    od;
    if
    :: count < MAJORITY -> goto done
    :: else -> atomic { a = 0; count = 0 }
    fi;
    do
    :: atomic { a < ACCEPTORS ->
           if
           :: ask[a]!accept, mine, value, answer; answer?ok, _, _; count = count + ok
           :: skip
           fi;
           a++; ok = false
       }
    :: else -> break
    od;
    if
    :: count >= MAJORITY -> assert(chosen == 0 || chosen == value); chosen = value
    :: else
    fi;
done: skip
}

init {
    atomic { run Acceptor(0); run Acceptor(1); run Acceptor(2); run Proposer(1); run Proposer(2) }
}

ltl stable { [] (chosen == 1 -> [] (chosen == 1)) }
ltl chooses { <> (chosen != 0) } // Both may fail.
// expect: states 49578
// expect: assertions hold
// expect: end states valid
// expect: ltl stable holds under none
// expect: ltl stable holds under weak process
// expect: ltl chooses violated under none
// expect: ltl chooses violated under weak process
// expect: ltl chooses violated under strong process
