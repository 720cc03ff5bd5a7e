# Each question has the whole time; what nobody began with says so; errors that were not looked for to the end
# leave the answer open.
. "$HOSTILE/lib.bash"
cat >p.pml <<'PML'
byte a, b, c, d, done;
active proctype P() { do :: a++ :: b++ :: c++ :: d++ od }
active proctype Q() { done = 1; done = 1 }
ltl first { [] (a + b + c + d < 1021) }
ltl second { <> (done == 2) }
PML
expect 1 "$FAIRLY" check --timeout 1 -p first -p second p.pml
says out '1 violated, 1 unknown'
silent out 'stopped after 0.0 s'
silent out 'not begun'
expect 3 "$FAIRLY" check --timeout 0 -p first p.pml
says out 'not begun: the time was up'
# It holds without a look at the counters, but whether their sum ever goes wrong is not known in time.
cat >e.pml <<'PML'
byte a, b, c, d; bool x = 1;
active proctype P() { do :: a++ :: b++ :: c++ :: d++; assert(a + b + c + d < 1020) od }
ltl fine { true }
PML
for format in human json junit github sarif markdown; do
  expect 3 "$FAIRLY" check --timeout 0.5 --format "$format" -p fine e.pml
  says out 'errors of the model may be in the way'
done
expect 3 "$FAIRLY" ladder --timeout 0.5 -p fine e.pml
says out 'errors of the model may be in the way'
