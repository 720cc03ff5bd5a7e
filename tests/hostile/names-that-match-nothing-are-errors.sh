# A name that nothing has is an error (exit 2) with the nearest names, wherever names are given.
. "$HOSTILE/lib.bash"
"$FAIRLY" new promela >/dev/null
bad() { expect 2 "$FAIRLY" "$@"; says err "$nearest"; }
nearest='did you mean `served`?'
bad check -p servd lock.pml
bad check -p exclusive -p servd lock.pml
bad check --expect servd=violated lock.pml
bad check --format json --expect servd=violated lock.pml
bad check --report table -p servd lock.pml
bad check --lossy bits -p servd lock.pml
bad ladder -p servd lock.pml
bad least -p servd lock.pml
bad sim --random -p servd lock.pml
bad graph -p servd lock.pml
bad check -p servd lock.pml lock.pml
bad check -p exclusive --expect servd=holds lock.pml lock.pml
nearest='there are'
bad check -p '' lock.pml
nearest='did you mean `served`?'
printf '[[model]]\nfile = "lock.pml"\nexpect = { servd = "violated" }\n' >fairly.toml
bad check
printf '[[model]]\nfile = "lock.pml"\nproperty = ["exclusive", "servd"]\n' >fairly.toml
bad check
rm fairly.toml
printf 'P() = a -> P();\n#assert P() deadlockfree;\n#assert P() |= []<> a;\n' >p.csp
nearest='`P() deadlockfree`'
bad check -p 3 p.csp
bad check -p 0 p.csp
bad check -p 1 -p 'deadlockfre e ' -p nothing p.csp
bad sim --random -p nothing p.csp
bad graph -p nothing p.csp
# What is there in one of several models is enough.
expect 1 "$FAIRLY" check -p served -p 2 lock.pml p.csp
says out '2 models'
