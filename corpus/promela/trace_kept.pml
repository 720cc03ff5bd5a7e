/* Every request is answered before the next; what is asked, and what else is sent, is open. */
mtype = { request, accept, refuse, noise };
chan up = [2] of { mtype, byte };
chan down = [1] of { mtype };
chan other = [1] of { mtype };
byte n;

trace {
    do
    :: up!request,_;
       if
       :: down!accept
       :: down!refuse; end_refused: up!request,2; down!accept
       fi
    od
}

proctype Client(chan out, in) {
    do
    :: n < 4 -> n++; out!request,n; if :: in?accept :: in?refuse; out!request,2; in?accept fi
    :: other!noise; d_step { other?noise; other!noise; other?_ }
    od
}

proctype Server(chan in, out) {
    byte x;
    do
    :: in?request,x; if :: x % 2 -> out!accept :: x == 4 -> out!refuse :: else -> out!accept fi
    od
}

init { atomic { run Client(up, down); run Server(up, down) } }

// expect: states 40
// expect: assertions hold
// expect: end states valid
