#!/bin/sh
# The fence: `sh -c TEXT fence DIR PID TICKS NODE KILLER`. It ends what a worker has at work when that has heard nothing of its engine until
# `deadline`, and needs neither the worker nor a network for it. The engine counts for longer before it lets anything begin elsewhere.
#
# In DIR: `deadline` (hundredths of a second since boot, by the kernel's clock, which counts sleep), `list/ID` (lines: `state BASE`, the
# records of a process, `BASE.N.state`; `docker LABEL,LABEL`; `worker`: it is at work in the worker itself) and `fenced/ID` for what was ended. PID and TICKS
# are the worker's; NODE runs KILLER, which kills the containers that have all of these labels.
#
# What is listed is kept in variables, so that a folder that is gone ends nobody's fence. Only `sleep` is another process, and what ends containers.
# shellcheck disable=SC2086 # lists of words

cd "$1" || exit 1
worker=$2 began=$3 node=$4 killer=$5
read -r boot </proc/sys/kernel/random/boot_id
echo $$ >owner
until='' known='' labels='' inside=''

# Start ticks of a process, in `ticks`; false: it is not there, or a zombie.
look() {
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  stat=${stat##*) }
  case $stat in Z* | X*) return 1 ;; esac
  set -- $stat
  ticks=${20}
}

# What is listed now: known is `ID:PID:TICKS ...`.
note() {
  known='' labels='' inside=''
  for entry in list/*; do
    [ -e "$entry" ] || continue
    while read -r kind value; do
      case $kind in
        state)
          for record in "$value".*.state; do
            read -r of _ pid stat 2>/dev/null <"$record" || continue
            [ "$of" = "$boot" ] && [ "$pid" != "$worker" ] || continue
            stat=${stat##*) }
            set -- $stat
            known="$known ${entry#list/}:$pid:${20}"
          done
          ;;
        docker) labels="$labels ${entry#list/}:$value" ;;
        worker) inside="$inside ${entry#list/}" ;;
      esac
    done 2>/dev/null <"$entry"
  done
}

# True: something was there to be ended.
end_all() {
  found=1
  for one in $known; do
    id=${one%%:*} one=${one#*:}
    pid=${one%:*}
    look "$pid" && [ "$ticks" = "${one#*:}" ] || continue
    echo "$now" 2>/dev/null >"fenced/$id"
    kill -9 "-$pid" "$pid" 2>/dev/null
    found=0
  done
  for one in $labels; do
    id=${one%%:*} was=''
    if [ -e "fenced/$id" ]; then was=1; else echo "$now" 2>/dev/null >"fenced/$id"; fi
    "$node" "$killer" "${one#*:}" >/dev/null 2>&1 </dev/null
    [ $? = 3 ] || { found=0 && continue; } # whatever else it says, it is tried again
    [ -n "$was" ] || rm -f "fenced/$id" # there was none
  done
  # The worker ends these by itself at the same time; one that is frozen must not go on with them when it thaws.
  if [ -n "$inside" ] && [ "$now" -ge $((until + 200)) ] && look "$worker" && [ "$ticks" = "$began" ]; then
    for id in $inside; do echo "$now" 2>/dev/null >"fenced/$id"; done
    kill -9 "$worker" 2>/dev/null
    found=0
  fi
  return $found
}

while sleep 0.5; do
  read -r now _ </proc/uptime
  now=${now%.*}${now#*.}
  if read -r owner 2>/dev/null <owner; then
    [ "$owner" = $$ ] || exit 0 # the next process of the worker has one of its own
    read -r until 2>/dev/null <deadline
    note
  fi
  is_over=1
  [ -n "$until" ] && [ "$now" -ge "$until" ] && { end_all || is_over=0; }
  if ! look "$worker" || [ "$ticks" != "$began" ]; then
    # Without a deadline there is no engine that counts on it.
    [ -z "$until" ] || [ -z "$known$labels$inside" ] || [ $is_over = 0 ] && exit 0
  fi
done
