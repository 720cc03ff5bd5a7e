/* The program of the slides (collatz.pml) with N defined to be 5: x is less than N for ever from the fourth value on, so the
   never claim of <>[]p has an accepting run. */

#define N 5
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

/* the claim of the slides */
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
