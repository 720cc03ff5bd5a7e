// The sieve of Eratosthenes as a pipeline that grows (after Hoare, 1978): each filter keeps the
// first number that comes, which is prime, and passes on what it does not divide. A filter starts
// the next one with `run` when it has something for it, and hands over the end of a new channel.
//
//     fairly check examples/promela/sieve.pml
#define LAST 11
#define STOP 0

byte primes;
byte sum;

proctype Filter(chan in) {
    chan out = [1] of { byte };
    byte mine, n;
    bool has_next;
    in?mine;
    d_step { primes++; sum = sum + mine }
    do
    :: in?n ->
       if
       :: n == STOP -> break
       :: n != STOP && n % mine != 0 ->
          if
          :: !has_next -> has_next = true; run Filter(out)
          :: else
          fi;
          out!n
       :: else // A multiple.
       fi
    od;
    if
    :: has_next -> out!STOP
    :: else
    fi
}

init {
    chan out = [1] of { byte };
    byte n;
    run Filter(out);
    for (n : 2 .. LAST) {
        out!n
    }
    out!STOP;
    // The filters end in the reverse order of their creation, which this waits for.
    _nr_pr == 1;
    assert(primes == 5 && sum == 2 + 3 + 5 + 7 + 11)
}

ltl finds_all { <> [] (primes == 5) }
ltl no_more { [] (sum <= 28) }

// expect: states 3415
// expect: assertions hold
// expect: end states valid
// expect: ltl finds_all holds under none
// expect: ltl finds_all holds under weak process
// expect: ltl no_more holds under none
// expect: ltl no_more holds under weak process
