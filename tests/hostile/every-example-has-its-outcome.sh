# Every example of the report that began all this, with its outcome: by default, by the interpreter, without
# reductions. `TABLE=FILE` keeps the table.
. "$HOSTILE/lib.bash"
rows=0 bad=0
table=${TABLE:-/dev/null}
: >"$table"
# row ITEM WHAT CODE SAYS ARGUMENTS...: exit code, and something that is said.
row() {
  local item=$1 what=$2 code=$3 says=$4 got=0 how=fine
  shift 4
  timeout 120 "$FAIRLY" "$@" >out 2>err || got=$?
  if [ "$got" != "$code" ]; then how="exit $got instead of $code"; elif ! cat out err | grep -qF -e "$says"; then how="does not say: $says"; fi
  rows=$((rows + 1))
  [ "$how" = fine ] || { bad=$((bad + 1)); echo "item $item, $what: $how: fairly $*"; cat out err; }
  printf '%s\t%s\texit %s: %s\t%s\n' "$item" "$what" "$code" "$says" "$how" >>"$table"
}
# each ITEM WHAT CODE SAYS ARGUMENTS...: natively and reduced, by the interpreter, and without reductions.
each() {
  local item=$1 what=$2 code=$3 says=$4
  shift 4
  row "$item" "$what" "$code" "$says" check "$@"
  row "$item" "$what (no reduction)" "$code" "$says" check --no-reduction "$@"
  row "$item" "$what (interpreter, no reduction)" "$code" "$says" check --interpret --no-reduction "$@"
}

# 1: numbers of channels.
for count in 2 4; do
  last=$((count - 1))
  cat >channels$count.csp <<CSP
channel d[$count] 1;
var flag = 0;
P(i) = d[i]!1 -> d[i]?1 -> bad{flag = 1;} -> P(i);
System() = ||| i:{0..$last} @ P(i);
Reader() = d[0]?1 -> Reader() [] d[1]?1 -> Reader();
Beside() = System() ||| Reader();
W(i) = [call(cempty, d[i])] d[i]!1 -> bad{flag = 1;} -> W(i);
Waiting() = ||| i:{0..$last} @ W(i);
Once(i) = d[i]!1 -> (d[i]?1 -> bad{flag = 1;} -> Stop);
Ends() = ||| i:{0..$last} @ Once(i);
#define seen flag == 1;
#assert System() |= [] !bad;
#assert System() |= [] X !bad;
#assert System() deadlockfree;
#assert System() reaches seen;
#assert Waiting() |= [] !bad;
#assert Beside() |= []<> bad;
#assert Ends() deadlockfree;
CSP
  each 1 "[] !bad, $count processes" 1 violated --fairness weak --level event -p 1 channels$count.csp
  each 1 "[] X !bad, $count processes" 1 violated -p 2 channels$count.csp
  each 1 "deadlockfree, $count processes" 0 holds -p 3 channels$count.csp
  each 1 "reaches, $count processes" 0 holds -p 4 channels$count.csp
  each 1 "a guard over cempty(d[i]), $count processes" 1 violated -p 5 channels$count.csp
  # Of four, two have channels that nobody else reads.
  if [ $count = 2 ]; then outcome=(1 violated); else outcome=(0 holds); fi
  each 1 "[]<> bad beside a reader, $count processes" "${outcome[@]}" --fairness weak -p 6 channels$count.csp
  each 1 "a deadlock, $count processes" 1 violated -p 7 channels$count.csp
done
# 1: numbers in names of events.
cat >numbers.csp <<'CSP'
var turn = 9; var flag = 0;
P(i) = [turn == 9] take{turn = i;} -> Stop;
K() = [turn != 9] e.turn -> Stop;
#alphabet K {e.0, e.1};
M() = e.0 -> bad{flag = 1;} -> Stop;
#alphabet M {e.0, e.1};
System() = P(0) ||| P(1) ||| (K() || M());
#define ok flag == 0;
#assert System() |= [] ok;
#assert System() |= [] X ok;
CSP
each 1 '[] ok' 1 violated -p 1 numbers.csp
each 1 '[] X ok' 1 violated -p 2 numbers.csp
for name in alphabet_that_lacks_one_of_four one_of_four_events_hidden rows_of_an_array_of_two_dimensions annotation_of_one_of_many_alike; do
  cp "$HOSTILE/../../corpus/csp/$name.csp" .
  # What is violated without reductions is violated with them, assertion by assertion.
  for how in '' --no-reduction; do
    # shellcheck disable=SC2086
    "$FAIRLY" check $how --format json $name.csp >answers 2>err || true
    grep '"outcome"' answers >"outcomes$how" || true
  done
  [ -s outcomes ] && cmp -s outcomes outcomes--no-reduction || { echo "$name: with and without reductions"; exit 1; }
  for command in 'ladder' 'least'; do "$FAIRLY" $command $name.csp >out 2>err || [ $? -le 3 ] || { cat out err; exit 1; }; done
  rows=$((rows + 1))
done

# 2: atomic sequences that are long, or never end.
cat >long.pml <<'PML'
byte x, done; short k;
active proctype A() { do :: atomic { x = 1; k = 0; do :: k < 2500 -> k++ :: else -> break od; x = 0 } od }
active proctype B() { done = 1 }
ltl g { <> (x == 1) }
ltl w { <> (done == 1) }
PML
sed 's/2500/25/' long.pml >short.pml
for file in short long; do
  each 2 "<> (x == 1), $file" 1 violated -p g $file.pml
  each 2 "<> (done == 1) under weak fairness, $file" 0 holds --fairness weak -p w $file.pml
done
cat >ways.pml <<'PML'
byte x, k, j;
active proctype A() { atomic { x = 1; select(k : 1 .. 80); select(j : 1 .. 80); x = 0 } }
ltl s { [] (x == 0) }
PML
each 2 '80 x 80 ways' 0 holds -p s ways.pml
cat >endless.pml <<'PML'
byte y;
active proctype A() { atomic { do :: y = 1 - y od } }
ltl g { []<> (y == 1) }
PML
each 2 'a sequence that never ends' 0 holds -p g endless.pml
for laps in 2000 20000; do
  cat >dstep$laps.pml <<PML
int i; bool bad;
active proctype P() { d_step { do :: i < $laps -> i++ :: else -> break od }; bad = true; false }
ltl a { [] !bad }
PML
  each 2 "d_step of $laps laps" 1 violated -p a dstep$laps.pml
  each 2 "end states behind a d_step of $laps laps" 1 violated -p 'end states' dstep$laps.pml
done
cat >program.csp <<'CSP'
var i = 0; var bad = false;
P() = e{ while (i < 60000) { i = i + 1; } } -> b{ bad = true; } -> Stop;
S() = e -> S();
#define isbad bad;
#assert P() deadlockfree;
#assert P() |= [] !isbad;
#assert P() refines S();
#assert P() reaches isbad;
CSP
for number in 1 2 3; do each 2 "a program of 60,000 laps, assertion $number" 1 violated -p $number program.csp; done
each 2 'a program of 60,000 laps, reaches' 0 holds -p 4 program.csp

# 5: what is asked for is answered, and names have to exist.
"$FAIRLY" new promela >/dev/null
row 5 'two properties' 1 '2 properties: 1 holds, 1 violated' check -p served -p exclusive lock.pml
row 5 'a name that matches nothing' 2 'served' check --expect servd=violated lock.pml
row 5 'the same for -p' 2 'served' check -p servd lock.pml
# 11: the side question picks its engine.
row 11 '--engine scc' 1 violated check --engine scc -p served lock.pml

# 7: CSP# as PAT has it.
cat >terms.csp <<'CSP'
D = d -> D;
Twice = a -> c -> D [] a -> c -> D;
Plain = Skip; D;
#assert Twice deterministic;
#assert Plain |= X d;
CSP
each 7 'Skip; Q steps as Q, terms are states' 0 '2 hold' terms.csp

# 8: the number of fields.
cat >few.pml <<'PML'
chan q = [1] of { byte, byte };
byte x;
active proctype P() { q!1; q?x }
PML
each 8 'too few fields in a send' 1 'a message of 1 field' -p assertions few.pml
cat >empty.pml <<'PML'
chan g = [1] of { byte, byte };
byte x, done;
active proctype P() { chan c = g; if :: c?x -> x = 7 :: skip fi; if :: c?[1] -> x = 8 :: else fi; done = 1 }
PML
each 8 'a receive that is not executable' 0 holds -p assertions empty.pml

# 9: open answers are not told as answers.
cat >open.pml <<'PML'
byte a, b, c, d;
active proctype P() { do :: a++ :: b++ :: c++ :: d++ od }
ltl p { [] (a + b + c + d < 1021) }
PML
timeout 120 "$FAIRLY" check --report table --max-states 10 -p p open.pml >out 2>err || true
silent out 'as SPIN says'
rows=$((rows + 1))

# 10: 33 premises and more.
for count in 32 33 40 70; do
  {
    echo "byte x; active proctype A() { do :: x = (x + 1) % $((count + 1)) :: x = 0 od }"
    printf 'ltl p { (true'
    for ((i = 0; i < count; i++)); do printf ' && ([]<> (x == %d) -> []<> (x == %d))' "$i" $((i + 1)); done
    echo ') -> []<> (x == 0) }'
    echo 'ltl q { [] (x < 1) }'
  } >premises.pml
  row 10 "$count premises" 1 '2 properties: 1 holds, 1 violated' check -p p -p q premises.pml
done

# Traces: event level, which could not be read.
printf 'byte x; active proctype P() { do :: x = 1 - x od } ltl f { [] (x == 0) }\n' >x.pml
row traces 'written under weak event fairness' 1 violated check --fairness weak --level event --trace t.json -p f x.pml
row traces 'and verified' 0 '' trace verify t.json
: >x.pml.trail
row traces 'an empty trail' 1 'no steps' trace verify x.pml.trail

# Files and limits.
echo 'P() = [] i:{0..15999} @ e.i -> P(); #assert P() deadlockfree;' >choices.csp
row limits '16,000 choices' 0 holds check --timeout 30 choices.csp
row reading '/dev/zero' 2 E0002 check --lang promela /dev/zero
row formats 'errors in JSON' 2 '"code"' check --format json /dev/null
printf '%d rows, %d wrong\n' "$rows" "$bad"
[ "$bad" -eq 0 ]
