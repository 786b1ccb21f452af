#!/bin/sh
# A step supervisor: `sh ./supervisor NAME SETSID ENV`, a shell that holds one step at a time; a step's own PATH must not matter.
#
# It has a session of its own and reads jobs from its FIFO, whose writing end the engine holds: when the engine dies, an idle
# supervisor reads end-of-file and exits, and a busy one first waits for its step and records the end.
#
# It reads names of job files, and nothing more: shells read lines byte by byte. A job names its state file (`$state`) and does
# the rest in a subshell; then `CODE SIGNALED` is appended to the state file, and reported. The shell says on its own stderr when
# a child was ended by a signal: that tells `exit 143` from SIGTERM.
# D5

echo $$ >"$1.pid"
exec <"$1" 9>&-
echo "ready $1 $$"
while read -r job; do
  # shellcheck source=/dev/null
  . "./$job"
  code=$?
  signaled=0
  if [ -s "$1.err" ]; then
    [ "$code" -gt 128 ] && signaled=1
    : >"$1.err"
  fi
  # shellcheck disable=SC2154 # the job has set it
  printf '%s %s\n' "$code" "$signaled" >>"$state"
  echo "ended $1 $job $code $signaled"
done
