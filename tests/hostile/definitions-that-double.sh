# `#define`s that use others twice, and long chains of them, are refused: they buy neither memory nor a stack.
. "$HOSTILE/lib.bash"

{
  echo 'var x = 0;'; echo '#define m0 x;'
  for at in $(seq 1 40); do echo "#define m$at m$((at - 1)) + m$((at - 1));"; done
  echo 'P = [m40 == 0] a -> P;'; echo '#assert P deadlockfree;'
} >doubling.csp
expect 2 timeout 20 "$FAIRLY" check doubling.csp
says err 'E1025'

{
  echo 'var x = 0;'; echo '#define m0 x;'
  for at in $(seq 1 20000); do echo "#define m$at m$((at - 1)) + 1;"; done
  echo 'P = [m20000 == 0] a -> P;'; echo '#assert P deadlockfree;'
} >chain.csp
expect 2 timeout 20 "$FAIRLY" check chain.csp
says err 'nested too deeply'

# Quantifiers inside others multiply.
{
  echo 'var x = 0;'; echo '#define m0 x == 0;'
  for at in $(seq 1 6); do echo "#define m$at (&& i:{0..999} @ m$((at - 1)));"; done
  echo 'P = [m6] a -> P;'; echo '#assert P deadlockfree;'
} >quantified.csp
expect 2 timeout 20 "$FAIRLY" check quantified.csp
says err 'E1092'
