// Go-back-N: the sender has up to WINDOW frames on the way and the receiver takes only the next one
// in order, answering with the last number that it took. When nothing else can happen (`timeout`)
// the sender goes back to the first frame that is not acknowledged. The lines lose frames; numbers
// are modulo WINDOW + 1, and with one less old frames are taken for new ones.
//
//     fairly check examples/promela/go_back_n.pml
#define WINDOW 2
#define NUMBERS (WINDOW + 1)
#define FRAMES 4 // How many are sent in all.

chan data = [WINDOW] of { byte, byte }; // Number and content.
chan ack = [WINDOW] of { byte };
byte delivered;

active proctype Sender() {
    byte base, next, number;
end:
    do
    :: next < base + WINDOW && next < FRAMES && nfull(data) ->
       if
       :: data!(next % NUMBERS), next
       :: skip // Lost.
       fi;
       next++
    :: ack?number ->
       // Everything up to this number has come, if it is one of those on the way.
       do
       :: base < next && base % NUMBERS != (number + 1) % NUMBERS -> base++
       :: else -> break
       od;
       number = 0
    :: timeout && base < FRAMES -> next = base
    od
}

active proctype Receiver() {
    byte number, content;
end:
    do
    :: data?number, content ->
       if
       :: number == delivered % NUMBERS ->
          assert(content == delivered);
          delivered++
       :: else // Out of order or known: thrown away.
       fi;
       if
       :: delivered > 0 -> ack!((delivered - 1) % NUMBERS)
       :: skip // Lost.
       fi;
       number = 0; content = 0
    od
}

ltl all_delivered { <> (delivered == FRAMES) }
ltl not_too_many { [] (delivered <= FRAMES) }

// expect: states 1968
// expect: assertions hold
// expect: end states valid
// expect: ltl all_delivered violated under none
// expect: ltl all_delivered violated under weak process
// expect: ltl all_delivered violated under strong process
// expect: ltl not_too_many holds under none
// expect: ltl not_too_many holds under weak process
