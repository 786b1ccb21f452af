/** One process to start, as the text that a keeper's shell reads. Quoting, `$$`, `$0` and signals are those of a plain `sh -c`. */
import { bootId } from '../process-identity.ts'

export interface Job {
  /** Program and arguments, executed as they are. */
  argv: string[]
  /** Exists. */
  cwd: string
  /** The whole environment of the process. Names that are no shell identifiers (`1`) are passed too. */
  env: Record<string, string>
  /** Absolute paths; appended to, made with mode 0600. */
  stdout: string
  stderr: string
  /** Files that receive a copy. Their folders exist. */
  copies?: { stdout?: string; stderr?: string }
  /** Path of the record of how it began and ended; must not exist yet. */
  state: string
  /** Length of the stdout file at the start; kept in the record, for whoever reads the output after a restart. */
  offset: number
}

/** Exit code of a job whose state file was there already: another engine has settled it. */
export const CLAIMED = 125

const IDENTIFIER = /^[A-Za-z_]\w*$/
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * @param name reported back when it has begun
 * @param inherited the keeper's own environment: only what differs is written
 * @param umask of the process to be, octal
 */
export function jobText(name: string, job: Job, inherited: Record<string, string>, umask: string): string {
  const { argv, env, copies } = job
  const stale = [...Object.keys(inherited), 'OLDPWD'].filter((key) => !(key in env) && IDENTIFIER.test(key))
  const exported = Object.entries(env).filter(([key, value]) => IDENTIFIER.test(key) && inherited[key] !== value)
  const odd = Object.entries(env).filter(([key]) => !IDENTIFIER.test(key))
  const begin = [
    'read -r stat </proc/self/stat',
    'set -C', // the state file must be ours: two engines never run one job
    `printf '%s %s %s\\n' ${bootId()} ${job.offset} "$stat" >${quote(job.state)} || exit ${CLAIMED}`,
    'set +C',
    `echo "began ${name}"`
  ]
  const become = [
    `umask ${umask}`,
    `cd ${quote(job.cwd)} || exit 1`,
    `unset ${stale.join(' ')} stat`,
    ...exported.map(([key, value]) => `export ${key}=${quote(value)}`),
    `exec "$2"${odd.length > 0 ? ' "$3" ' : ' '}${[...odd.map(([key, value]) => `${key}=${value}`), ...argv].map(quote).join(' ')}` // setsid, env
  ]
  const lines = copies
    ? copied(job, copies, name, [...begin, ...become])
    : [...begin, `exec >>${quote(job.stdout)} 2>>${quote(job.stderr)} </dev/null`, ...become]
  // A compound command is read whole before any of it runs: half a text runs nothing.
  return `{\numask 077\n${lines.join('\n')}\n}\n`
}

/** Seconds that a copy may lag behind the end of the step before it is given up: a grandchild may hold the pipe for ever. */
const DRAIN_SECONDS = 2

function copied(job: Job, copies: { stdout?: string; stderr?: string }, name: string, step: string[]): string[] {
  const streams = (['stdout', 'stderr'] as const).map((stream) => {
    const copy = copies[stream]
    const pipe = `./${name}.${stream}`
    return copy
      ? {
          open: [`mkfifo ${pipe}`, `tee -a ${quote(job[stream])} >>${quote(copy)} <${pipe} & ${stream}=$!`],
          target: pipe,
          close: [
            `( sleep ${DRAIN_SECONDS}; kill $${stream} ) 2>/dev/null & watch=$!`,
            `wait $${stream}`,
            'kill $watch 2>/dev/null',
            `rm -f ${pipe}`
          ]
        }
      : { open: [], target: quote(job[stream]), close: [] }
  })
  const [out, err] = streams
  return [
    ...streams.flatMap(({ open }) => open),
    '(',
    ...step.slice(0, 5),
    `exec >>${out?.target} 2>>${err?.target} </dev/null`,
    ...step.slice(5),
    ')',
    'code=$?',
    ...streams.flatMap(({ close }) => close),
    'exit $code'
  ]
}
