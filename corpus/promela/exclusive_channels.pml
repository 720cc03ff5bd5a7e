/* xr and xs that are kept: each channel has one sender and one receiver. */
chan line = [2] of { byte };
chan back = [1] of { byte };
byte sum;

proctype Sender(chan out, in) {
    byte n, ack;
    xs out;
    xr in;
    do
    :: n < 3 && nfull(out) -> n++; out!n
    :: in?ack
    :: n == 3 && nempty(in) -> end: in?ack
    od
}

proctype Receiver(chan in, out) {
    byte n;
    xr in;
    xs out;
    do
    :: d_step { in?n; sum = sum + n }; nfull(out) -> out!n
    od
}

init { atomic { run Sender(line, back); run Receiver(line, back) } }

// expect: states 66
// expect: assertions hold
// expect: end states invalid
