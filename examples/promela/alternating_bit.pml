// The alternating bit protocol over two lines with room for one message, from which a thief takes
// what it likes. The sender repeats until its bit is acknowledged. Fairness to the process that
// receives is enough for the first message, if it is strong: it can receive again and again, but
// the thief comes in between. It is not enough for the second, since the sender, which may also
// repeat, is not made to look at the acknowledgements.
//
//     fairly check --fairness weak --level process examples/promela/alternating_bit.pml
//     fairly check --fairness strong --level process examples/promela/alternating_bit.pml
chan data = [1] of { bit };
chan ack = [1] of { bit };
byte accepted = 2;  // The last message on either side; 2 before the first.
byte delivered = 2;

active proctype Sender() {
    bit mine, got;
    accepted = mine;
    do
    :: data!mine
    :: ack?got ->
       if
       :: got == mine -> atomic { mine = 1 - mine; accepted = mine }
       :: else
       fi
    od
}

active proctype Receiver() {
    bit expected, got;
    do
    :: data?got ->
       if
       :: got == expected ->
          atomic {
              assert(got == accepted); // Nothing is skipped, nothing is delivered twice.
              delivered = got;
              expected = 1 - expected
          }
       :: else
       fi;
progress_answer:
       ack!got
    od
}

active proctype Thief() {
    do
    :: data?_
    :: ack?_
    od
}

ltl first { <> (delivered == 0) }
ltl second { <> (delivered == 1) }
ltl in_order { (delivered != 1) W (delivered == 0) }

// expect: states 185
// expect: assertions hold
// expect: end states valid
// expect: ltl first violated under none
// expect: ltl first violated under weak process
// expect: ltl first holds under strong process
// expect: ltl second violated under none
// expect: ltl second violated under weak process
// expect: ltl second violated under strong process
// expect: ltl in_order holds under none
// expect: ltl in_order holds under weak process
// expect: ltl in_order holds under strong process
// expect: progress violated under none
// expect: progress violated under weak process
