#!/bin/sh
# The spawner: `sh -c TEXT spawner DIR`. It makes step supervisors, and is the only process that the engine starts for its steps.
#
# At `make NAME...` it makes FIFOs and says `made NAME...`; at `go NAME...`, when the engine has opened them, it starts their
# supervisors. A FIFO is handed over open, so that a supervisor never waits for a writer: one whose engine has died meanwhile
# reads end-of-file at once.
#
# `&` is never used to start a supervisor or a step: a shell that does makes SIGINT ignored for good in what it starts.
# D5
# shellcheck disable=SC2086,SC2094 # names are words; a FIFO is opened at both ends

cd "$1" || exit 1
setsid=$(command -v setsid) && env=$(command -v env) || exit 1
while read -r word names; do
  case $word in
    make)
      mkfifo $names || exit 1
      echo "made $names"
      ;;
    go) for name in $names; do setsid -f sh ./supervisor "$name" "$setsid" "$env" 2>>"$name.err" 9<>"$name" || exit 1; done ;;
  esac
done
