// The alternating bit protocol: the sender repeats a bit until it is acknowledged, and goes on with
// the other one. Both lines have room for one message, and a thief takes from them what it likes.
chan data = [1] of { bit };
chan ack = [1] of { bit };
byte delivered = 2;             // the last bit that came through; 2 before the first

active proctype Sender() {
    bit mine, got;
    do
    :: data!mine                                        // once more
    :: ack?got ->
       if
       :: got == mine -> mine = 1 - mine
       :: else
       fi
    od
}

active proctype Receiver() {
    bit expected, got;
    do
    :: data?got ->
       if
       :: got == expected -> delivered = got; expected = 1 - expected
       :: else
       fi;
       ack!got
    od
}

active proctype Thief() {
    do
    :: data?_
    :: ack?_
    od
}

// Safety: the second message does not overtake the first. It holds.
ltl in_order { (delivered != 1) W (delivered == 0) }

// Liveness: the first message arrives. It fails, since the thief may take everything; weak fairness
// does not help, since the receiver can move only now and then. Strong fairness does.
ltl first { <> (delivered == 0) }

// The second message needs more: a fair sender may still repeat instead of reading what comes back.
// Try `--fairness strong --level action`, and `fairly ladder -p second`.
ltl second { <> (delivered == 1) }
