/**
 * The text of a job whose secrets are masked: a process of its own reads what the step writes and writes the logs. The
 * supervisor starts it, so it outlives the engine as the step does. What to mask comes to it through a pipe: a value is never
 * on a command line. Source: execution-semantics 14.4.6, architecture 4.
 */
import { secretsOf } from '../../../masking/secrets.ts'
import { shellQuote } from '../../../platform/shell/shell-word.ts'
import type { Job } from '../job.ts'
import { COPY_FAILED, HANGING_SECONDS, LEADER_ENDED, maskOrder, maskProgram } from '../mask-order.ts'
import { type Stream, UNCOPIED, uncopiedNote } from '../uncopied.ts'

/** The file that holds the values of a job, by the job's name. One whose output is masked removes it before the step begins. */
export const secretFile = (name: string): string => `${name}.secret`

// D8
/** Shell text, for after the end of a step with `$code`: one of its own stays. @param path as it is shown */
export const failUncopied = (stream: Stream, path: string): string =>
  `[ $code = 0 ] && code=${UNCOPIED} && printf %s ${shellQuote(uncopiedNote(stream, path))} >>"$state"`

// D1623
/**
 * Shell text, for after the end of a step with `$code`: that is on record while what reads its output may take long. The shell has said
 * in its supervisor's `.err` when a signal ended the step.
 */
export const RECORD_SEEN =
  'seen=0; [ "$code" -gt 128 ] && [ -s "$1.err" ] && seen=1; printf "seen %s %s\\n" "$code" $seen >>"$state"'

/** Opens a FIFO at both ends, without a wait for the other. */
const bothEnds = (path: string, reading: number, writing: number) =>
  `exec 9<>${path}; exec ${reading}<${path} ${writing}>${path} 9>&-`

// D751
/**
 * @param begin lines that record the step's beginning
 * @param become lines that make the shell the step
 */
export function masked(
  job: Job,
  masking: NonNullable<Job['masking']>,
  name: string,
  begin: string[],
  become: string[]
): string[] {
  const { mask } = secretsOf(masking.values)
  const uncopied = (['stdout', 'stderr'] as const).map(
    (stream) => `${COPY_FAILED[stream]}) ${failUncopied(stream, mask(job.copies?.[stream] ?? ''))} ;;`
  )
  const [out, err, told] = ['stdout', 'stderr', 'order'].map((pipe) => `./${name}.${pipe}`) as [string, string, string]
  return [
    `mkfifo ${out} ${err} ${told} || exit 1`,
    ...(job.account ? [`chown ${job.account.uid}:${job.account.gid} ${out} ${err} || exit 1`] : []),
    bothEnds(out, 3, 4),
    bothEnds(err, 5, 6),
    bothEnds(told, 7, 8),
    `rm -f ${out} ${err} ${told} ./${secretFile(name)}`,
    `${maskProgram().map(shellQuote).join(' ')} <&3 3<&5 4<&7 5<&- 6>&- 7<&- 8>&- >/dev/null 2>&1 & mask=$!`,
    'exec 3<&- 5<&- 7<&-',
    `printf '%s\\n' ${shellQuote(JSON.stringify(maskOrder(job, masking)))} >&8`,
    '(',
    ...begin,
    'exec >&4 2>&6 4>&- 6>&- 8>&- </dev/null',
    ...become,
    ')',
    'code=$?',
    RECORD_SEEN,
    'exec 2>/dev/null 4>&- 6>&-', // what is said of the step's own end has been said
    "trap '' PIPE",
    `printf ${LEADER_ENDED} >&8; exec 8>&-`,
    // Only for one that hangs, as on a file system that does not answer: a slow one loses nothing.
    `( trap 'kill $nap; exit' TERM; sleep ${HANGING_SECONDS} & nap=$!; wait $nap; kill -9 $mask ) & watch=$!`,
    'wait $mask',
    `case $? in ${uncopied.join(' ')} esac`,
    'kill $watch',
    'exit $code'
  ]
}
