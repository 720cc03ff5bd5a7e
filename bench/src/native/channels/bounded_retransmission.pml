// A bounded retransmission protocol: a file in numbered frames, with a bound on retries; losses are noticed.
#define FRAMES 6
#define MOST 3
chan toK = [0] of { bit, bit, bit, byte };
chan toR = [0] of { bit, bit, bit, byte };
chan toL = [0] of { bit };
chan toS = [0] of { bit };
chan lost = [0] of { bit };
chan over = [0] of { bit };
byte outcome;
active proctype Sender() {
    byte i, tries; bit b, ack; byte at;
    do
    :: atomic { at == 0 -> i = 1; tries = 0; at = 1 }
    :: atomic { at == 1 -> toK!(i == 1), (i == FRAMES), b, i; at = 2; tries++ }
    :: atomic { at == 2 -> toS?ack; ack = 0; b = 1 - b; tries = 0;
         if
         :: i < FRAMES -> i++; at = 1
         :: else -> outcome = 1; at = 3
         fi }
    :: atomic { at == 2 && tries < MOST -> lost?_; at = 1 }
    :: atomic { at == 2 && tries == MOST -> lost?_; if :: i == FRAMES -> outcome = 2 :: else -> outcome = 3 fi; at = 4 }
    :: atomic { at == 4 -> over!1; at = 3; b = 0 }
    :: atomic { at == 3 -> at = 0; outcome = 0; i = 0; tries = 0 }
    od
}
active proctype K() {
    bit f, l, b; byte d; bit busy;
    do
    :: atomic { !busy -> toK?f, l, b, d; busy = 1 }
    :: atomic { busy -> toR!f, l, b, d; f = 0; l = 0; b = 0; d = 0; busy = 0 }
    :: atomic { busy -> lost!1; f = 0; l = 0; b = 0; d = 0; busy = 0 }
    od
}
active proctype L() {
    bit b; bit busy;
    do
    :: atomic { !busy -> toL?b; busy = 1 }
    :: atomic { busy -> toS!b; b = 0; busy = 0 }
    :: atomic { busy -> lost!1; b = 0; busy = 0 }
    od
}
active proctype Receiver() {
    bit f, l, b, expected; byte d, got; bit owes;
    do
    :: atomic { !owes -> toR?f, l, b, d; owes = 1;
         if
         :: b == expected -> expected = 1 - expected; got = d
         :: f && b != expected -> skip
         :: else
         fi; f = 0; l = 0; d = 0 }
    :: atomic { owes -> toL!b; b = 0; owes = 0 }
    :: atomic { !owes -> over?_; expected = 0; got = 0 }
    od
}
active proctype Client() {
    byte seen;
    do
    :: outcome != seen -> seen = outcome
    od
}
