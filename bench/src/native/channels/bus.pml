// A bus with an arbiter: requests are sorted by kind, writers go first by a random receive, grants are rendezvous.
#define N 4
chan ask = [N] of { byte, byte };
chan grant[N] = [0] of { byte };
chan free = [0] of { byte };
byte cell[2];
active [N] proctype Master() {
    byte what, word;
    do
    :: atomic { what == 0 -> what = 1; ask!!_pid % 2, _pid }
    :: atomic { what == 0 -> what = 2; ask!!2, _pid }
    :: atomic { grant[_pid]?word;
         if
         :: what == 1 -> cell[_pid % 2] = (cell[_pid % 2] + 1) % 3
         :: else -> word = cell[_pid % 2]
         fi };
       atomic { free!_pid; what = 0; word = 0 }
    od
}
active proctype Arbiter() {
    byte kind, who, last; bool busy;
    do
    :: atomic { !busy && ask?[2, _] -> ask??2, who; kind = 2; grant[who]!kind; last = who; who = 0; kind = 0; busy = true }
    :: atomic { !busy && nempty(ask) -> ask?kind, who; grant[who]!kind; last = who; who = 0; kind = 0; busy = true }
    :: atomic { busy -> free?eval(last); last = 0; busy = false }
    od
}
