/**
 * How a command begins inside a running container, and what can be asked there about it later. Its exit code lies on a slip:
 * Docker forgets the code of a command whose output it cannot deliver any more. Source: execution-semantics 10.2.14, 13.5.3.
 */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { statusOf } from './connection.ts'
import { pieces } from './frames.ts'

/** What finds a command again. */
export interface CommandTrace {
  exec: string
  container: string
  user?: string
  /** Inside; absent: not known, or out of reach. */
  pid?: number
  /** Known before it begins, and in the command line of the shell that stays with it: hexadecimal. Absent: there is no shell. */
  mark?: string
  slip?: Slip
}

/** A file inside, rewritten by each execution of a step: `<key> <process id>`, and after the end a line with the exit code. */
export interface Slip {
  path: string
  /** Of one execution: hexadecimal. */
  key: string
}

/**
 * Says its id on stderr, stays, deaf to signals, until the command has ended, and ends as it did. It sets no variable, which the
 * command might see, and says nothing of its own, such as how the command was killed.
 */
const staysFor = (mark: string, slip: Slip | undefined): string =>
  [
    `: ${mark}`,
    ...(slip ? [`{ echo ${slip.key} $$ >${slip.path}; } 2>/dev/null`] : []),
    'echo $$ >&2',
    'exec 3>&2 2>/dev/null',
    'trap : HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO PWR',
    '(exec 2>&3 3>&-; exec "$@")',
    'set -- $?',
    ...(slip ? [`echo $1 >>${slip.path}`] : []),
    'exit $1'
  ].join('; ')

/** Before the words of a command: a shell that says its process id, the leader of the group that signals go to. */
export const preamble = (mark: string, slip?: Slip): string[] => ['sh', '-c', staysFor(mark, slip), 'sh']

/**
 * Looks through the command lines for the leader of a group with the mark. `read` passes over the NUL characters; whoever looks has
 * the mark elsewhere in its own.
 */
const LOOK_FOR_MARK =
  'for place in /proc/[0-9]*; do pid=${place#/proc/}; read -r line <$place/cmdline; ' +
  'case $line in *": $1;"*) kill -0 -$pid && echo $pid && break;; esac; done 2>/dev/null'

// D612
/** The process that stays with a command, found without having heard its id; undefined: it is not there. */
export async function markedInside(docker: Docker, { mark, ...trace }: CommandTrace): Promise<number | undefined> {
  if (mark === undefined) return undefined
  const answer = await askInside(docker, trace, ['sh', '-c', LOOK_FOR_MARK, 'sh', mark])
  return Number(answer?.said) || undefined
}

/** What a slip says; undefined: it is not there, or another execution's. */
export async function onSlip(
  docker: Docker,
  { slip, ...trace }: CommandTrace
): Promise<{ pid: number; code?: number } | undefined> {
  if (!slip) return undefined
  const { said = '' } =
    (await askInside(docker, trace, ['sh', '-c', `while read -r line; do echo "$line"; done <${slip.path}`])) ?? {}
  const [head = '', code] = said.split('\n')
  const [key, pid] = head.split(' ')
  if (key !== slip.key) return undefined
  return { pid: Number(pid), ...(code ? { code: Number(code) } : {}) }
}

/** Whether its process is there. False also when it is not known which that is. By its mark: another may have its id since. */
export async function isAliveInside(docker: Docker, trace: CommandTrace): Promise<boolean> {
  const { pid, mark } = trace
  if (mark !== undefined) return (await markedInside(docker, trace)) !== undefined
  if (pid === undefined) return false
  return (await askInside(docker, trace, ['sh', '-c', 'kill -0 "$1"', 'sh', String(pid)]))?.code === 0
}

/** What the Docker engine says of a command; undefined: it has forgotten it, as after a restart. */
export async function execOf(docker: Docker, { exec }: Pick<CommandTrace, 'exec'>) {
  try {
    return await docker.getExec(exec).inspect()
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

/** Runs a short command to its end, as the same user; undefined: the container has ended. */
export async function askInside(
  docker: Docker,
  { container, user }: Pick<CommandTrace, 'container' | 'user'>,
  words: string[]
): Promise<{ code: number | null; said: string } | undefined> {
  try {
    const asked = await docker
      .getContainer(container)
      .exec({ Cmd: words, AttachStdout: true, ...(user ? { User: user } : {}) })
    const chunks: Buffer[] = []
    const stream = (await asked.start({ hijack: false, stdin: false })) as unknown as Readable
    for await (const { bytes } of pieces(stream, false)) chunks.push(bytes)
    return { code: (await asked.inspect()).ExitCode, said: Buffer.concat(chunks).toString() }
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return undefined
    throw error
  }
}
