# An engine is chosen for the question that is asked; the check of the constraint that would exclude the run
# is another question.
. "$HOSTILE/lib.bash"
"$FAIRLY" new promela >/dev/null
for engine in scc ndfs streett; do
  expect 1 "$FAIRLY" check --engine "$engine" -p served lock.pml
  says out 'the property holds'
  expect 0 "$FAIRLY" ladder --engine "$engine" -p served lock.pml
  expect 0 "$FAIRLY" least --engine "$engine" -p served lock.pml
  expect 1 "$FAIRLY" check --ladder --engine "$engine" -p served lock.pml
done
