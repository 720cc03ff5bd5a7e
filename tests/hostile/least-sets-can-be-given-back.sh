# Whatever `least` prints is a constraint that `check` reads, and with which the property holds.
. "$HOSTILE/lib.bash"
"$FAIRLY" new promela >/dev/null
cat >p.csp <<'CSP'
var x = 0;
P() = a -> b{x = 1;} -> P() [] a -> c{x = 0;} -> P();
Q() = (tick -> d -> Q()) \ {tick};
System() = P() ||| Q();
#assert System() |= []<> d;
#assert System() |= []<> b;
CSP
count=0
for level in process event action; do
  for question in 'served lock.pml' '1 p.csp' '2 p.csp'; do
    read -r property file <<<"$question"
    "$FAIRLY" least --level "$level" -p "$property" --format json "$file" >sets.json || true
    # The sets as they stand in the document: a name a line, and a line with a bracket after each set.
    sed -n '/"sets": \[$/,/^    \]/p' sets.json | sed -n 's/^ *\("\|\]\)/\1/p' | tail -n +2 >names
    arguments=()
    while IFS= read -r line; do
      case $line in
      \"*)
        name=${line%,}
        name=${name#\"}
        name=${name%\"}
        name=${name//\\\"/\"}
        arguments+=(--constraint "${name//\\\\/\\}")
        ;;
      *)
        [ ${#arguments[@]} -eq 0 ] && continue
        expect 0 "$FAIRLY" check "${arguments[@]}" -p "$property" "$file"
        count=$((count + 1))
        arguments=()
        ;;
      esac
    done <names
  done
done
[ "$count" -gt 5 ] || { echo "only $count sets"; exit 1; }
