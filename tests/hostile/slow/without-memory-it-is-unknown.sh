# A system that refuses memory makes an answer unknown, exit 3: never an abort or a panic. Answers that were
# there before are printed.
. "$HOSTILE/lib.bash"

cat >first.pml <<'END'
byte x, y[6];
active [6] proctype P() { do :: y[_pid] = y[_pid] + 1; x = 1 :: y[_pid] > 3 -> y[_pid] = 0 od }
ltl large { [] ((y[0] == 3) -> <> (y[1] == 200)) && []<> (y[2] == 3 || y[3] < 250) }
END
cat >counters.csp <<'END'
var x = 0; var y = 0;
P() = [x < 3000] a{x = x + 1;} -> P() [] [x > 0] b{x = x - 1;} -> P();
Q() = [y < 3000] c{y = y + 1;} -> Q() [] [y > 0] d{y = y - 1;} -> Q();
System() = P() ||| Q();
#assert System() divergencefree;
END
# Less than this is not enough to load the program.
least=
for kilobytes in $(seq 20000 2000 200000); do
  if (ulimit -v "$kilobytes" && "$FAIRLY" --version) >out 2>err; then least=$kilobytes; break; fi
done
[ -n "$least" ] || { echo "no limit lets the program start"; exit 1; }
for more in 2000 4000 6000 8000 10000 15000 20000 30000 40000 60000 80000 120000 200000; do
  for model in first.pml counters.csp; do
    status=0
    (ulimit -v $((least + more)) && "$FAIRLY" check --fairness weak --timeout 20 "$model") >out 2>err || status=$?
    case $status in
      0 | 1 | 3) ;;
      *)
        printf 'exit %d with %d KiB: %s\n' "$status" $((least + more)) "$model"
        cat out err
        exit 1
        ;;
    esac
    silent err panicked
    silent err abort
  done
done
# The first question is answered, the second needs more than there is.
{
  echo 'Small() = a -> Small();'
  echo '#assert Small() deadlockfree;'
  cat counters.csp
} >both.csp
export FAIRLY
expect 3 bash -c "ulimit -v $((least + 60000)) && exec \"\$FAIRLY\" check both.csp"
says out "  ok  Small() deadlockfree"
says out "unknown: out of memory"
