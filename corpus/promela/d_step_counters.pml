// Counters inside `d_step`: known or not where branches meet, in nested loops, for very many rounds, in an array of one.
byte sum, at; byte one[1]; byte seen[4];
active [2] proctype P() {
    byte i, j;
    d_step {
        i = 0; sum = 0;
        do
        :: i < 3 ->
           j = 0;
           do
           :: j < i -> if :: seen[j] == _pid -> j++ :: seen[j] != _pid -> seen[j] = _pid; j = j + 2 fi
           :: else -> break
           od;
           i++; sum = sum + j
        :: else -> break
        od
    };
    d_step { one[0] = 1; i = one[0] + one[0]; one[sum - sum] = i; j = one[0]; seen[one[0]] = 1 };
    d_step { i = 0; j = 0; do :: i < 250 -> i++; if :: i % 100 == 7 -> j++ :: else fi :: else -> break od; at = i - 250 + j };
    d_step { if :: sum > 3 -> i = 1; j = 2 :: else -> j = 2; i = 2 fi; seen[i] = j; at = at + i; i = 0; j = 0 };
    assert(at <= 10)
}

// expect: states 113
// expect: assertions hold
// expect: end states valid
