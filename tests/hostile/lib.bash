# Shared by the scripts: `. "$HOSTILE/lib.bash"`.
set -euo pipefail

# expect CODE COMMAND...: runs it with its output in `out` and `err`, and fails on another exit code.
expect() {
  local wanted=$1 got=0
  shift
  "$@" >out 2>err || got=$?
  if [ "$got" -ne "$wanted" ]; then
    printf 'exit %d instead of %d: %s\n' "$got" "$wanted" "$*"
    cat out err
    exit 1
  fi
}

# says FILE TEXT: FILE (`out` or `err`) contains TEXT.
says() { grep -qF -e "$2" "$1" || { printf '%s does not say: %s\n' "$1" "$2"; cat out err; exit 1; }; }

# silent FILE TEXT: it does not.
silent() { if grep -qF -e "$2" "$1"; then printf '%s says: %s\n' "$1" "$2"; cat out err; exit 1; fi; }
