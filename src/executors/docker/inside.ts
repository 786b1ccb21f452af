/**
 * How a command is started inside a running container, and how to query it later. Its exit code is kept in a file, the slip:
 * Docker forgets the code of a command whose output it cannot deliver. Source: execution-semantics 10.2.14, 13.5.3.
 */
import type Docker from 'dockerode'
import { readable, statusOf } from './connection.ts'
import { pieces } from './frames.ts'

/** What is needed to find a command again. */
export interface CommandTrace {
  exec: string
  container: string
  user?: string
  /** Process id inside; absent: unknown, or out of reach. */
  pid?: number
  /** Chosen before the start, and in the command line of its shell: hexadecimal. Absent: there is no shell. */
  mark?: string
  slip?: Slip
}

/** A file inside, rewritten by each execution of a step: `<key> <process id>`, and after the end a line with the exit code. */
export interface Slip {
  path: string
  /** Key of one execution, hexadecimal. */
  key: string
}

/**
 * Prints its id on stderr, ignores signals until the command has ended, and exits with the same code. It sets no variable that
 * the command might see, and prints nothing else, such as how the command was killed.
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

/** Prefix of a command: a shell that prints its process id; it leads the group that receives signals. */
export const preamble = (mark: string, slip?: Slip): string[] => ['sh', '-c', staysFor(mark, slip), 'sh']

/**
 * Searches the command lines for the group leader with the mark. `read` skips NUL characters; the searching shell itself has the
 * mark in another position.
 */
const LOOK_FOR_MARK =
  'for place in /proc/[0-9]*; do pid=${place#/proc/}; read -r line <$place/cmdline; ' +
  'case $line in *": $1;"*) kill -0 -$pid && echo $pid && break;; esac; done 2>/dev/null'

// D612: docker: a command in a running container starts in a shell
/** The shell of a command, found without its id; undefined: it is gone. */
export async function markedInside(docker: Docker, { mark, ...trace }: CommandTrace): Promise<number | undefined> {
  if (mark === undefined) return undefined
  const answer = await askInside(docker, trace, ['sh', '-c', LOOK_FOR_MARK, 'sh', mark])
  return Number(answer?.said) || undefined
}

/** The content of a slip; undefined: it is missing, or of another execution. */
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

/** Whether the process of a command is alive; false when unknown. Checked by its mark, because another process may have its id. */
export async function isAliveInside(docker: Docker, trace: CommandTrace): Promise<boolean> {
  const { pid, mark } = trace
  if (mark !== undefined) return (await markedInside(docker, trace)) !== undefined
  if (pid === undefined) return false
  return (await askInside(docker, trace, ['sh', '-c', 'kill -0 "$1"', 'sh', String(pid)]))?.code === 0
}

/** What Docker knows of a command; undefined: Docker has forgotten it, for example after a restart. */
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
    const stream = readable(await asked.start({ hijack: false, stdin: false }))
    for await (const { bytes } of pieces(stream, false)) chunks.push(bytes)
    return { code: (await asked.inspect()).ExitCode, said: Buffer.concat(chunks).toString() }
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return undefined
    throw error
  }
}
