#!/bin/sh
# The mother: `sh -c TEXT mother DIR`. She makes keepers and the warden, and is the only process that the engine starts for its steps.
#
# At `make NAME...` she makes FIFOs and says `made NAME...`; at `go NAME...`, when the engine has opened them, she starts their
# keepers. A FIFO is handed over open, so that a keeper never waits for a writer: one whose engine has died meanwhile reads
# end-of-file at once. At `hold NAME NUMBER...` she starts a warden in the same way; the user's settings of Perl are not for it.
# Nobody hears of it where there is no Perl.
#
# `&` is never used to start a keeper or a step: a shell that does makes SIGINT ignored for good in what it starts.
# D5
# shellcheck disable=SC2086,SC2094 # names and numbers are words; a FIFO is opened at both ends

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
      name=${names%% *}
      PERL5OPT='' PERL5LIB='' PERLIO='' PERL_UNICODE=0 setsid -f perl -f ./warden $names 2>>"$name.err" 9<>"$name" <"$name" 9>&-
      ;;
  esac
done
