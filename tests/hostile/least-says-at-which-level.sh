# "Violated even when everything is strongly fair" is said of a level, and the other levels are tried.
. "$HOSTILE/lib.bash"
export COLUMNS=400
cat >p.csp <<'CSP'
P() = a -> (b -> P() [] c -> P()) [] a -> P();
#assert P() |= []<> b;
CSP
expect 1 "$FAIRLY" least p.csp
says out 'even when every process is strongly fair'
silent out 'everything is strongly fair'
says out -- '--fairness strong --level'
level=$(sed -n 's/.*--fairness strong --level \([a-z]*\)`.*/\1/p' out | head -1)
expect 0 "$FAIRLY" check --fairness strong --level "$level" p.csp
expect 0 "$FAIRLY" ladder p.csp
says out 'action-level strong fairness'
# No answer 0 where `check` reports errors of the model.
cat >error.csp <<'CSP'
var x = 3;
P() = [x > 0] a{x = x - 1;} -> P() [] b{x = 1 / (x - 3);} -> P();
#define ok x < 9;
#assert P() |= [] ok;
CSP
for command in check least ladder; do
  expect 1 "$FAIRLY" $command error.csp
  says out 'runs without errors'
done
