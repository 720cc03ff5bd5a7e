# A bug that shows in one question takes no other answer with it. Only builds with assertions can be broken on
# purpose; the others have to answer as ever.
. "$HOSTILE/lib.bash"
"$FAIRLY" new promela >/dev/null
export FAIRLY_INJECT_PANIC=exclusive
status=0
"$FAIRLY" check lock.pml >out 2>err || status=$?
case $status in
1) says out '4 properties: 3 hold, 1 violated' ;;
70)
  says out '4 properties: 2 hold, 1 violated, 1 unknown'
  says out 'please report it with .fairly/bug-lock.exclusive.json'
  grep -q '"question": "exclusive"' .fairly/bug-lock.exclusive.json
  for format in json junit github sarif markdown; do
    expect 70 "$FAIRLY" check --format "$format" lock.pml
    says out served
    says out 'internal error: injected'
  done
  expect 70 "$FAIRLY" ladder lock.pml
  says out served
  expect 70 "$FAIRLY" least --format json lock.pml
  says out served
  expect 70 "$FAIRLY" check lock.pml lock.pml
  says out '2 models'
  ;;
*)
  echo "exit $status"
  exit 1
  ;;
esac
if [ "$status" -eq 70 ]; then
  expect 70 "$FAIRLY" check --report table lock.pml
  says out served
fi
