/**
 * The shell side of the launcher: one mother that makes keepers, and keepers that each hold one step at a time.
 *
 * Every keeper has a session of its own and reads jobs from its FIFO, whose writing end the engine holds: when the engine
 * dies, an idle keeper reads end-of-file and exits, and a busy one first waits for its step and records the end. `&` is
 * never used to start a keeper or a step: a shell that does makes SIGINT ignored for good in what it starts.
 */

// D5
/**
 * `sh -c MOTHER mother DIR`: at `make NAME...` she makes FIFOs and says `made NAME...`; at `go NAME...`, when the engine
 * has opened them, she starts their keepers. A FIFO is handed over open, so that a keeper never waits for a writer: one
 * whose engine has died meanwhile reads end-of-file at once. At `hold NAME NUMBER...` she starts a warden in the same way; the
 * user's settings of Perl are not for it. Nobody hears of it where there is no Perl.
 */
export const MOTHER = `
cd "$1" || exit 1
setsid=$(command -v setsid) && env=$(command -v env) || exit 1
while read -r word names; do
  case $word in
    make)
      mkfifo $names || exit 1
      echo "made $names"
      ;;
    go) for name in $names; do setsid -f sh ./keeper "$name" "$setsid" "$env" 2>>"$name.err" 9<>"$name" || exit 1; done ;;
    hold)
      name=\${names%% *}
      PERL5OPT= PERL5LIB= PERLIO= PERL_UNICODE=0 setsid -f perl -f ./warden $names 2>>"$name.err" 9<>"$name" <"$name" 9>&-
      ;;
  esac
done
`

/**
 * Arguments: its name, the paths of `setsid` and `env` (a step's own PATH must not matter).
 * Reads names of job files, and nothing more: shells read lines byte by byte. A job names its state file (`$state`) and does the
 * rest in a subshell; then `CODE SIGNALED` is appended to the state file, and reported.
 * The shell says on its own stderr when a child was ended by a signal: that tells `exit 143` from SIGTERM.
 */
export const KEEPER = `
echo $$ >"$1.pid"
exec <"$1" 9>&-
echo "ready $1 $$"
while read -r job; do
  . "./$job"
  code=$?
  signaled=0
  if [ -s "$1.err" ]; then
    [ "$code" -gt 128 ] && signaled=1
    : >"$1.err"
  fi
  printf '%s %s\\n' "$code" "$signaled" >>"$state"
  echo "ended $1 $job $code $signaled"
done
`
