// A sliding window with selective repeat: the receiver keeps frames that come out of order and
// acknowledges each by its number, and only what is missing is sent again. Numbers must be modulo
// twice the window; with `#define NUMBERS 3` the assertion fails.
//
//     fairly check examples/promela/sliding_window.pml
#define WINDOW 2
#define NUMBERS 4
#define FRAMES 4

chan data = [WINDOW] of { byte, byte }; // Number and content.
chan ack = [WINDOW] of { byte };
byte delivered;

active proctype Sender() {
    byte base, i;
    bool acked[FRAMES + WINDOW];
end:
    do
    :: ack?i ->
       d_step {
           // The frame in the window that has this number.
           if
           :: base % NUMBERS == i -> acked[base] = true
           :: (base + 1) % NUMBERS == i -> acked[base + 1] = true
           :: else
           fi;
           do
           :: base < FRAMES && acked[base] -> base++
           :: else -> break
           od;
           i = 0
       }
    :: timeout && base < FRAMES ->
       for (i : base .. base + WINDOW - 1) {
           if
           :: i < FRAMES && !acked[i] ->
              if
              :: data!(i % NUMBERS), i
              :: skip // Lost.
              fi
           :: else
           fi
       }
       i = 0
    od
}

active proctype Receiver() {
    byte number, content;
    byte kept[NUMBERS] = 255; // 255: not there yet.
end:
    do
    :: data?number, content ->
       d_step {
           if
           :: number == delivered % NUMBERS || number == (delivered + 1) % NUMBERS ->
              kept[number] = content
           :: else // Known already, but its acknowledgement was lost.
           fi;
           do
           :: kept[delivered % NUMBERS] != 255 ->
              assert(kept[delivered % NUMBERS] == delivered);
              kept[delivered % NUMBERS] = 255;
              delivered++
           :: else -> break
           od;
           content = 0
       }
       if
       :: ack!number
       :: skip // Lost.
       fi;
       number = 0
    od
}

ltl all_delivered { <> (delivered == FRAMES) }

// expect: states 1381
// expect: assertions hold
// expect: end states valid
// expect: ltl all_delivered violated under none
// expect: ltl all_delivered violated under weak process
// expect: ltl all_delivered violated under strong process
