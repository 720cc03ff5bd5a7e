# Whatever is given to fairly-verify as a certificate, it answers soon and in little memory.
. "$HOSTILE/lib.bash"
VERIFY=$(dirname "$FAIRLY")/fairly-verify
if [ ! -x "$VERIFY" ]; then echo "skipped: fairly-verify is not beside fairly"; exit 0; fi
"$FAIRLY" new promela >/dev/null
expect 0 "$FAIRLY" check --certificate good -p exclusive lock.pml
expect 0 "$VERIFY" good
# refused CODE FILE: within 256 MiB and 20 s.
refused() { expect "$1" timeout 20 bash -c 'ulimit -v 262144; exec "$0" "$1"' "$VERIFY" "$2"; }
refused 1 /dev/zero
refused 1 /dev/null
truncate -s 4G huge
refused 1 huge
# A text of 2^55 bytes, of which there are four billion on no room.
printf 'fairly certificate 2\n\377\377\377\377\377\377\377\177' >text
truncate -s 4G text
refused 1 text
head -c 100 good >half
refused 1 half
{ cat good; printf 'more'; } >more
refused 1 more
refused 2 .
refused 2 missing
esc=$(printf 'a\033[2Jb')
refused 2 "$esc"
if grep -q $'\033' out err; then echo 'an escape reaches the terminal'; exit 1; fi
