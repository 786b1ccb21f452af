/** One process to start, as the text that a supervisor reads. Quoting, `$$`, `$0` and signals are those of a plain `sh -c`. */
import { exportable } from '../../../definition/shell/exportable.ts'
import type { SecretValues } from '../../../masking/patterns.ts'
import { secretsOf } from '../../../masking/secrets.ts'
import { asAccount } from '../../../platform/account.ts'
import { bootId } from '../../../platform/process-identity.ts'
import { shellQuote } from '../../../platform/shell/shell-word.ts'
import type { Copies } from '../../executor.ts'
import { CLAIMED, checkTexts, type Job, NO_LOG, TOO_LATE, TOO_LATE_TEXT } from '../job.ts'
import { maskingOf } from '../mask-order.ts'
import { failUncopied, masked, RECORD_SEEN, secretFile } from './masked-job.ts'

/**
 * Files for a supervisor, by name; the one with the job's own name comes last. A supervisor reads that one itself and lives on, so that
 * secrets are in a file of their own, which only its subshell reads.
 * @param name reported back when it has begun
 * @param inherited the supervisor's own environment: only what differs is written
 * @param umask of the process to be, octal
 * @throws Error for a NUL character, or a text that is too long: no process can be given one
 */
export function jobFiles(
  name: string,
  job: Job,
  inherited: Record<string, string>,
  umask: string
): [file: string, text: string][] {
  const work = workOf(name, job, inherited, umask)
  const file = secretFile(name)
  // A compound command is read whole before any of it runs: half a text runs nothing.
  const text = (inside: string[]) => ['{', `state=${shellQuote(job.state)}`, '(', ...inside, ')', '}', ''].join('\n')
  if (!maskingOf(job) && !job.isSecret) return [[name, text(work)]]
  return [
    [file, ['{', ...work, '}', ''].join('\n')],
    [name, text([`. ./${file}`])]
  ]
}

/** What a subshell does: it becomes the step, or holds what masks it. */
function workOf(name: string, job: Job, inherited: Record<string, string>, umask: string): string[] {
  const { argv, env, copies, account } = job
  const masking = maskingOf(job)
  checkTexts(job)
  const stale = [...Object.keys(inherited), 'OLDPWD', 'PWD'].filter((key) => !(key in env) && exportable(key))
  const exports: string[] = []
  /** What the supervisor's shell cannot be given: `env` is. */
  const odd: [key: string, value: string][] = []
  // Each start looks at all of them: once is enough.
  for (const key in env) {
    const value = env[key] ?? ''
    if (!exportable(key)) odd.push([key, value])
    else if (inherited[key] !== value) exports.push(`export ${key}=${shellQuote(value)}`)
  }
  if (job.masking) refuseShown(odd, job.masking.values)
  const begin = [
    'read -r stat </proc/self/stat',
    // D6
    'set -C', // the state file must be ours: two engines never run one job
    `printf '%s %s %s\\n' ${bootId()} ${job.offset} "$stat" >${shellQuote(job.state)} || exit ${CLAIMED}`,
    'set +C',
    // The engine may be gone: the step runs all the same.
    `trap '' PIPE; echo "began ${name}" 2>/dev/null; trap - PIPE`
  ]
  const [stdout, stderr] = [job.stdout, job.stderr].map(shellQuote)
  // Where others write the logs, the step is not begun either when they cannot be opened: what it did, nobody could read.
  const lent = account
    ? [
        `chown ${account.uid}:${account.gid} ${[stdout, stderr].filter((path) => isLog(path ?? '')).join(' ')} 2>/dev/null`
      ]
    : []
  const opened = `( : >>${stdout} && : >>${stderr} ) 2>/dev/null || exit ${NO_LOG}`
  const become = [
    `umask ${umask}`,
    ...(job.cgroup === undefined ? [] : [entering(job.cgroup)]),
    ...(account ? [] : [`cd ${shellQuote(job.cwd)} 2>/dev/null || ${noFolder(job)}`]),
    `unset ${stale.join(' ')} stat`,
    ...(job.limit === undefined ? [] : inTime(job.limit)),
    ...exports,
    `exec "$2" ${becoming(job)}${odd.length > 0 ? '"$3" -- ' : ''}${[...odd.map(([key, value]) => `${key}=${value}`), ...argv].map(shellQuote).join(' ')}` // setsid, env
  ]
  const lines = masking
    ? masked(job, masking, name, [...begin, opened], become)
    : copies
      ? copied(job, copies, name, [...begin, opened], become)
      : [...begin, ...(account ? [opened, ...lent] : []), `exec >>${stdout} 2>>${stderr} </dev/null`, ...become]
  return ['umask 077', ...lines]
}

const noFolder = ({ cwd }: Job) =>
  `{ echo ${shellQuote(`the working directory ${cwd} cannot be entered`)} >&2; exit 1; }`

/** Who writes `0` enters it. */
const entering = (cgroup: string) =>
  `{ echo 0 >${shellQuote(`${cgroup}/cgroup.procs`)}; } 2>/dev/null || { echo ${shellQuote(`the cgroup ${cgroup} cannot be entered`)} >&2; exit 126; }`

/** Devices are for everybody. */
const isLog = (quoted: string) => !/^'?\/dev\//.test(quoted)

/** A user enters its folder itself: another one's would let it in where it may not be. Empty: it stays who it is. */
function becoming({ account, cwd, ...job }: Job): string {
  if (!account) return ''
  const program = `cd "$1" 2>/dev/null || ${noFolder({ cwd, ...job })}; shift; unset OLDPWD; exec "$@"`
  return `${asAccount(account, ['/bin/sh', '-c', program, 'sh', cwd]).map(shellQuote).join(' ')} `
}

/** The last look before the step: a machine that was frozen meanwhile must not begin what is taken for ended. */
const inTime = (limit: number): string[] => [
  'read -r troupe_uptime _ </proc/uptime',
  'troupe_uptime=${troupe_uptime%.*}${troupe_uptime#*.}',
  `[ "$troupe_uptime" -lt ${limit} ] || { echo ${shellQuote(TOO_LATE_TEXT)} >&2; exit ${TOO_LATE}; }`,
  'unset troupe_uptime'
]

/** `env` is given these on its command line, which others can read. */
function refuseShown(odd: [string, string][], values: SecretValues): void {
  const { hidesIn } = secretsOf(values)
  const [variable] = odd.find(([, value]) => hidesIn(value)) ?? []
  if (variable !== undefined)
    throw new Error(
      `the variable ${variable} holds a secret and has a name that no shell can export: give it another name`
    )
}

/** Seconds that a copy may lag behind the end of the step before it is given up: a grandchild may hold the pipe for ever. */
const DRAIN_SECONDS = 2
/** What `wait` says of a copy that was. */
const GIVEN_UP = 128 + 15

function copied(job: Job, copies: Copies, name: string, begin: string[], become: string[]): string[] {
  const streams = (['stdout', 'stderr'] as const).map((stream) => {
    const copy = copies[stream]
    // D8
    const logs = [job[stream], ...(copies.both ? [copies.both] : [])].map(shellQuote).join(' ')
    const pipe = `./${name}.${stream}`
    return copy
      ? {
          open: [
            `mkfifo ${pipe}`,
            `tee -a ${logs} >>${shellQuote(copy)} <${pipe} 2>>${shellQuote(job.stderr)} & ${stream}=$!`
          ],
          target: pipe,
          close: [
            `( sleep ${DRAIN_SECONDS}; kill $${stream} ) & watch=$!`,
            `wait $${stream}`,
            `case $? in 0 | ${GIVEN_UP}) ;; *) ${failUncopied(stream, copy)} ;; esac`,
            'kill $watch',
            `rm -f ${pipe}`
          ]
        }
      : { open: [], target: shellQuote(job[stream]), close: [] }
  })
  const [out, err] = streams
  return [
    ...streams.flatMap(({ open }) => open),
    '(',
    ...begin,
    `exec >>${out?.target} 2>>${err?.target} </dev/null`,
    ...become,
    ')',
    'code=$?',
    RECORD_SEEN,
    'exec 2>/dev/null', // what is said of the step's own end has been said
    ...streams.flatMap(({ close }) => close),
    'exit $code'
  ]
}
