// Extinction on a ring: waves of smaller numbers die out, and echoes of the greatest return to it.
#define N 6
mtype = { wave, echo };
chan link[2 * N] = [2] of { mtype, byte };
#define right link[2 * _pid]
#define left link[2 * _pid + 1]
#define fromLeft link[2 * ((_pid + N - 1) % N)]
#define fromRight link[2 * ((_pid + 1) % N) + 1]
byte decided;
active [N] proctype Node() {
    byte best, id, echoes; bit parent; mtype kind;
    best = (_pid * (N - 1) + 2) % N + 1;
    atomic { right!wave(best); left!wave(best) };
end:
    do
    :: atomic { fromLeft?kind(id) ->
         if
         :: kind == wave && id > best -> best = id; parent = 0; echoes = 0; right!wave(id)
         :: id == best -> echoes++
         :: else
         fi; kind = 0; id = 0 }
    :: atomic { fromRight?kind(id) ->
         if
         :: kind == wave && id > best -> best = id; parent = 1; echoes = 0; left!wave(id)
         :: id == best -> echoes++
         :: else
         fi; kind = 0; id = 0 }
    :: atomic { echoes == 1 && best != (_pid * (N - 1) + 2) % N + 1 ->
         echoes = 0;
         if
         :: parent == 0 -> left!echo(best)
         :: else -> right!echo(best)
         fi }
    :: atomic { echoes == 2 -> decided = best; echoes = 0 }
    od
}
