// Election on a ring, with records as messages: the greatest number goes round, then the leader is announced.
#define N 6
typedef Record { byte kind; byte id; byte hops; bit fresh };
chan link[N] = [2] of { Record };
byte leader;
active [N] proctype Station() {
    Record in, out;
    bool passive; byte mine;
    mine = (_pid * (N - 1) + 2) % N + 1;
    out.kind = 1; out.id = mine; out.hops = 1; out.fresh = 1;
    link[(_pid + 1) % N]!out;
end:
    do
    :: atomic { link[_pid]?in;
       if
       :: in.kind == 1 && in.id == mine && in.hops == N -> leader = mine; in.kind = 2; in.id = mine; in.hops = 1; in.fresh = 0
       :: in.kind == 1 && in.id > mine -> passive = true; in.hops++
       :: in.kind == 1 && in.id < mine && passive -> in.hops++
       :: in.kind == 1 && in.id < mine && !passive -> in.kind = 0
       :: in.kind == 2 && in.hops < N -> in.hops++
       :: in.kind == 2 && in.hops == N -> in.kind = 0
       :: else -> in.kind = 0
       fi };
       if
       :: in.kind != 0 -> link[(_pid + 1) % N]!in
       :: else
       fi;
       d_step { in.kind = 0; in.id = 0; in.hops = 0; in.fresh = 0 }
    od
}
