/* Yih-Kuen Tsay's slides, "Processes as Automata" and "Specification as a Buechi Automaton", unchanged: the
   program, and the never claim of <>[]p. N is 4, as on "Expanded Asynchronous Product". */

#define N 4
int x = N;

active proctype A0()
{
  do
    :: x%2 -> x = 3*x + 1
  od
}

active proctype A1()
{
  do
    :: !(x%2) -> x = x/2
  od
}

/* N was defined to be $4$ */
#define p (x < N)

never { /* <>[]p */
T0_init:
  if
  :: p -> goto accept_S4
  :: true -> goto T0_init
  fi;
accept_S4:
  if
  :: p -> goto accept_S4
  fi;
}
