// @N@ dining philosophers; the last one takes the other fork first, so there is no deadlock.
bool taken[@N@];
active [@N@] proctype P() {
    byte first, second;
    d_step {
        first = (_pid == @N@ - 1 -> 0 : _pid);
        second = (_pid == @N@ - 1 -> _pid : _pid + 1)
    };
end_idle:
    do
    :: skip;
wants: atomic { !taken[first] -> taken[first] = true };
       atomic { !taken[second] -> taken[second] = true };
inside: skip;
       taken[second] = false;
       taken[first] = false
    od
}
ltl served { [] (P[0]@wants -> <> P[0]@inside) }
