// Peterson's lock for @N@ processes, a step a statement. Each wants again and again.
byte level[@N@];
byte last[@N@];
active [@N@] proctype P() {
    byte l;
end_idle:
    do
    :: l = 1;
wants: do
       :: l < @N@ ->
          level[_pid] = l;
          last[l] = _pid;
          (last[l] != _pid || @BELOW@);
          l++
       :: l == @N@ -> break
       od;
inside: skip;
       level[_pid] = 0
    od
}
ltl served { [] (P[0]@wants -> <> P[0]@inside) }
