# A deadline or a signal ends every phase, also those before and after a search, within a second; a second
# signal ends the process at once. Machines are noisy, so the bounds here are generous.
. "$HOSTILE/lib.bash"

cat >lowering.csp <<'END'
P() = [] i:{0..49999} @ e.i -> P();
#assert P() deadlockfree;
END
cat >alike.csp <<'END'
var x = 0;
P(i) = a.i{x = 1;} -> P(i);
System() = ||| i:{0..9999} @ P(i);
#define ok x < 2;
#assert System() |= [] ok;
END
{
  echo 'int x; active proctype P() { do :: atomic {'
  for ((at = 0; at < 20000; at++)); do echo "x = (x + $((at % 7))) % 100;"; done
  echo '} od } ltl p { [] (x < 100) }'
} >atomic.pml
{
  echo 'int x; active proctype P() { do'
  for ((at = 0; at < 20000; at++)); do echo ":: x == $at -> x = $((at * 7 % 20000))"; done
  echo 'od } ltl p { [] (x < 30000) }'
} >wide.pml
cat >array.pml <<'END'
int a[1000000]; int i;
active proctype P() { do :: a[i % 1000000] = i; i = i + 1 od }
ltl p { [] (a[5] != 12345678) }
END
cat >long.pml <<'END'
int n;
active proctype P() { do :: n < 3000000 -> n++ :: else -> break od }
ltl p { [] (n < 3000000) }
END

# ends SECONDS COMMAND...: with an answer, or unknown, and not later.
ends() {
  local most=$1 status=0 began=$SECONDS
  shift
  timeout -s KILL 60 "$@" >out 2>err || status=$?
  local took=$((SECONDS - began))
  printf '%d s, exit %d: %s\n' "$took" "$status" "${*##*/}"
  case $status in 0 | 1 | 3) ;; *) cat out err; exit 1 ;; esac
  [ "$took" -le "$most" ] || { echo "it took more than $most s"; exit 1; }
}
for model in lowering.csp alike.csp "-p p atomic.pml" "-p p wide.pml" "-p p array.pml" "-p p long.pml"; do
  # shellcheck disable=SC2086
  ends 8 "$FAIRLY" check --timeout 2 $model
done
ends 8 "$FAIRLY" ladder --timeout 2 -p p long.pml
ends 8 "$FAIRLY" least --timeout 2 -p p long.pml

# stops SIGNAL MODEL: the first signal ends it with a report, the second at once.
stops() {
  local signal=$1 status=0 began
  shift
  "$FAIRLY" check "$@" >out 2>err &
  local process=$!
  sleep 1
  kill -s "$signal" "$process" 2>/dev/null || true
  began=$SECONDS
  wait "$process" || status=$?
  case $status in 0 | 1 | 3) ;; *) echo "exit $status after $signal: $*"; cat out err; exit 1 ;; esac
  [ $((SECONDS - began)) -le 6 ] || { echo "$signal did not end it: $*"; exit 1; }
  "$FAIRLY" check "$@" >out 2>err &
  process=$!
  sleep 1
  kill -s "$signal" "$process" 2>/dev/null || true
  sleep 0.1
  kill -s "$signal" "$process" 2>/dev/null || true
  began=$SECONDS status=0
  wait "$process" || status=$?
  case $status in 0 | 1 | 3 | 130) ;; *) echo "exit $status after two of $signal: $*"; exit 1 ;; esac
  [ $((SECONDS - began)) -le 3 ] || { echo "a second $signal did not end it: $*"; exit 1; }
}
for signal in INT TERM; do
  stops "$signal" lowering.csp
  stops "$signal" alike.csp
  stops "$signal" -p p atomic.pml
done
