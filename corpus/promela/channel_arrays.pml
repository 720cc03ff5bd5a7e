#define N 3
chan q[N] = [1] of { byte }; byte turn;
active [N] proctype P() { byte m; do :: q[_pid]?m -> turn = m; q[(_pid + 1) % N]!(m + 1) % N; m = 0 :: atomic { turn == 0 && empty(q[0]) && empty(q[1]) && q[2]?[2] -> q[2]?m; m = 0; break } od }
init { q[0]!0 }

// expect: states 101
// expect: assertions hold
// expect: end states valid
