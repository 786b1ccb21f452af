/**
 * The text of a job whose secrets are masked: a process of its own reads what the step writes and writes the logs. The
 * keeper starts it, so it outlives the engine as the step does. What to mask comes to it through a pipe: a value is never
 * on a command line. Source: execution-semantics 14.4.6, architecture 4.
 */
import { fileURLToPath } from 'node:url'
import { shellQuote } from '../../definition/shell/words.ts'
import type { SecretValues } from '../../masking/patterns.ts'
import { secretsOf } from '../../masking/secrets.ts'
import type { Job } from './job-record.ts'
import { failUncopied } from './uncopied.ts'

/** What the process is told. */
export interface MaskOrder {
  values: SecretValues
  /** Of stdout, then of stderr. */
  streams: { log: string; copies: string[]; marks?: string }[]
}

/** The file that holds the values of a job, by the job's name. One whose output is masked removes it before the step begins. */
export const secretFile = (name: string): string => `${name}.secret`

/** Its exit code when the copy of a stream could not be written. */
export const COPY_FAILED = { stdout: 11, stderr: 12 }
/** What it hears when the step's leader has ended. */
export const LEADER_ENDED = '.'
/** How long its keeper waits for it after the end of the leader. */
export const HANGING_SECONDS = 60

const PROGRAM = fileURLToPath(new URL('./mask-program.js', import.meta.url))
/** A release of Node that can be told so opens no debugger before the program holds signals off, either. */
const NO_DEBUGGER = '--disable-sigusr1'
const nodeOf = () => {
  const options = process.allowedNodeEnvironmentFlags.has(NO_DEBUGGER) ? [NO_DEBUGGER] : []
  return [process.execPath, ...options, PROGRAM].map(shellQuote).join(' ')
}

/** Opens a FIFO at both ends, without a wait for the other. */
const bothEnds = (path: string, reading: number, writing: number) =>
  `exec 9<>${path}; exec ${reading}<${path} ${writing}>${path} 9>&-`

// D751
/**
 * @param begin lines that record the step's beginning
 * @param become lines that make the shell the step
 */
export function masked(
  { stdout, stderr, copies = {} }: Job,
  { values, marks }: { values: SecretValues; marks?: string },
  name: string,
  begin: string[],
  become: string[]
): string[] {
  const copiesOf = (copy?: string) => [copy, copies.both].filter((path) => path !== undefined)
  const order: MaskOrder = {
    values,
    streams: [
      { log: stdout, copies: copiesOf(copies.stdout), ...(marks ? { marks } : {}) },
      { log: stderr, copies: copiesOf(copies.stderr) }
    ]
  }
  const { mask } = secretsOf(values)
  const uncopied = (['stdout', 'stderr'] as const).map(
    (stream) => `${COPY_FAILED[stream]}) ${failUncopied(stream, mask(copies[stream] ?? ''))} ;;`
  )
  const [out, err, told] = ['stdout', 'stderr', 'order'].map((pipe) => `./${name}.${pipe}`) as [string, string, string]
  return [
    `mkfifo ${out} ${err} ${told} || exit 1`,
    bothEnds(out, 3, 4),
    bothEnds(err, 5, 6),
    bothEnds(told, 7, 8),
    `rm -f ${out} ${err} ${told} ./${secretFile(name)}`,
    `${nodeOf()} <&3 3<&5 4<&7 5<&- 6>&- 7<&- 8>&- >/dev/null 2>&1 & mask=$!`,
    'exec 3<&- 5<&- 7<&-',
    `printf '%s\\n' ${shellQuote(JSON.stringify(order))} >&8`,
    '(',
    ...begin,
    'exec >&4 2>&6 4>&- 6>&- 8>&- </dev/null',
    ...become,
    ')',
    'code=$?',
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
