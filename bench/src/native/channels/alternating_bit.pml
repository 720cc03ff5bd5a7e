// Alternating bit with retransmission over media that lose messages. Every hand-over is a rendezvous inside an atomic
// sequence, as translators from other languages write it: guard, send, update.
mtype = { frame, reply };
chan toMedium = [0] of { bit, byte };
chan toReceiver = [0] of { bit, byte };
chan toEcho = [0] of { bit };
chan toSender = [0] of { bit };
#define DATA 20
active proctype Sender() {
    bit b; byte d; bit x; byte tries; bool waits;
    do
    :: atomic { !waits && tries < 3 -> toMedium!b, d; tries = tries + 1; waits = true }
    :: atomic { toSender?x; if :: x == b -> b = 1 - b; d = (d + 1) % DATA; tries = 0; waits = false :: else -> waits = false fi; x = 0 }
    :: atomic { waits && tries < 3 -> waits = false }
    :: atomic { tries == 3 && waits -> tries = 0; waits = false }
    od
}
active proctype Medium() {
    bit b; byte d; bool busy;
    do
    :: atomic { !busy -> toMedium?b, d; busy = true }
    :: atomic { busy -> toReceiver!b, d; b = 0; d = 0; busy = false }
    :: atomic { busy -> b = 0; d = 0; busy = false }
    od
}
active proctype Echo() {
    bit b; bool busy;
    do
    :: atomic { !busy -> toEcho?b; busy = true }
    :: atomic { busy -> toSender!b; b = 0; busy = false }
    :: atomic { busy -> b = 0; busy = false }
    od
}
active proctype Receiver() {
    bit expected, b; byte d, got; bool answers;
    do
    :: atomic { !answers -> toReceiver?b, d; answers = true }
    :: atomic { answers -> toEcho!b; if :: b == expected -> expected = 1 - expected; got = d :: else fi; b = 0; d = 0; answers = false }
    od
}
