# Several -p, or a list in fairly.toml, are all checked; none is dropped.
. "$HOSTILE/lib.bash"
"$FAIRLY" new promela >/dev/null
expect 1 "$FAIRLY" check -p served -p exclusive lock.pml
says out '2 properties: 1 holds, 1 violated'
expect 1 "$FAIRLY" check -p exclusive -p served -p exclusive lock.pml
says out '2 properties: 1 holds, 1 violated'
for format in json junit github sarif markdown; do
  expect 1 "$FAIRLY" check -p served -p exclusive --format "$format" lock.pml
  says out served
done
printf '[[model]]\nfile = "lock.pml"\nproperty = ["served", "exclusive"]\n' >fairly.toml
expect 1 "$FAIRLY" check
says out '2 properties: 1 holds, 1 violated'
printf '[check]\nproperty = ["served"]\n[[model]]\nfile = "lock.pml"\nproperty = ["exclusive"]\n' >fairly.toml
expect 1 "$FAIRLY" check
says out '2 properties: 1 holds, 1 violated'
rm fairly.toml
printf 'P() = a -> P();\n#assert P() deadlockfree;\n#assert P() |= [] a;\n#assert P() |= []<> a;\n' >p.csp
expect 1 "$FAIRLY" check -p 2 -p 3 p.csp
says out '2 properties: 1 holds, 1 violated'
expect 0 "$FAIRLY" ladder -p served -p exclusive lock.pml
says out served
says out exclusive
