// @N@ processes and one semaphore.
bool free = true;
active [@N@] proctype P() {
end_idle:
    do
    :: skip;
wants: atomic { free -> free = false };
inside: skip;
       free = true
    od
}
ltl served { [] (P[0]@wants -> <> P[0]@inside) }
