# --max-memory bounds what the process has resident, whatever takes the memory: wide states, products,
# refinement. Peaks are those that the system counts; a limit may be exceeded by 5 %.
. "$HOSTILE/lib.bash"
if [ ! -x /usr/bin/time ]; then echo "skipped: no /usr/bin/time"; exit 0; fi

cat >array5.pml <<'END'
int a[100000];
int i;
active proctype P() { do :: a[i % 100000] = a[(i + 7919) % 100000] + i; i = i + 1 od }
active proctype Q() { do :: i = i + 3 od }
ltl p { [] (a[5] != 12345678) }
END
sed 's/100000/1000000/g' array5.pml >array6.pml
cat >channels.pml <<'END'
chan c[8] = [255] of { int };
int n;
active proctype P() { do :: n < 1000000 -> c[n % 8]!n; n = n + 1 od }
active proctype Q() { int x; do :: c[0]?x :: c[1]?x :: c[3]?x od }
ltl p { [] (n != 999999) }
END
cat >product.pml <<'END'
byte x[6];
active [6] proctype P() { do :: x[_pid] = x[_pid] + 1 :: x[_pid] > 3 -> x[_pid] = 0 od }
ltl p { [] ((x[0] == 3) -> <> (x[1] < 4)) && []<> (x[2] < 4 || x[3] < 250) }
END
cat >counters.csp <<'END'
var x = 0; var y = 0; var z = 0;
P() = [x < 300] a{x = x + 1;} -> P() [] [x > 0] b{x = x - 1;} -> P();
Q() = [y < 300] c{y = y + 1;} -> Q() [] [y > 0] d{y = y - 1;} -> Q();
R() = [z < 300] e{z = z + 1;} -> R() [] [z > 0] f{z = z - 1;} -> R();
System() = P() ||| Q() ||| R();
Spec() = a -> Spec() [] b -> Spec() [] c -> Spec() [] d -> Spec() [] e -> Spec() [] f -> Spec();
#assert System() refines Spec();
#assert System() divergencefree;
#assert System() deterministic;
END

# kept LIMIT_IN_MIB ARGUMENTS...: the answer is unknown, and the peak within 5 % of the limit.
kept() {
  local limit=$1 peak
  shift
  expect 3 /usr/bin/time -o time -f %M "$FAIRLY" check --max-memory "${limit}M" --timeout 10 "$@"
  peak=$(tail -1 time)
  printf '%6d KiB of %d MiB: %s\n' "$peak" "$limit" "$*"
  if [ "$peak" -gt $((limit * 1024 * 105 / 100)) ]; then
    echo "more than 5 % beyond the limit"
    exit 1
  fi
}
for limit in 64 256; do
  kept "$limit" -p p array5.pml
  kept "$limit" -p p array6.pml
  kept "$limit" -p p channels.pml
  kept "$limit" -p p --fairness strong product.pml
  for question in 1 2 3; do kept "$limit" -p "$question" counters.csp; done
done
