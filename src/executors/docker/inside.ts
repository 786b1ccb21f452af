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
  slip?: Slip
}

/** A file inside, rewritten by each execution of a step: `<key> <process id>`, and after the end a line with the exit code. */
export interface Slip {
  path: string
  /** Of one execution: hexadecimal. */
  key: string
}

/** Says its id on stderr, then becomes the command: same process, its exit code and signals are the command's. */
const BECOMES = 'echo $$ >&2; exec "$@"'

/**
 * Stays, deaf to signals, until the command has ended, and notes its exit code. It sets no variable, which the command might
 * see, and says nothing of its own, such as how the command was killed.
 */
const staysFor = ({ path, key }: Slip): string =>
  [
    `{ echo ${key} $$ >${path}; } 2>/dev/null`,
    'echo $$ >&2',
    'exec 3>&2 2>/dev/null',
    'trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM',
    '(exec 2>&3 3>&-; exec "$@")',
    'set -- $?',
    `echo $1 >>${path}`,
    'exit $1'
  ].join('; ')

/** Before the words of a command: a shell that says its process id, the leader of the group that signals go to. */
export const preamble = (slip: Slip | undefined): string[] => ['sh', '-c', slip ? staysFor(slip) : BECOMES, 'sh']

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

/** Whether its process is there. False also when it is not known which that is. */
export async function isAliveInside(docker: Docker, trace: CommandTrace): Promise<boolean> {
  const { pid } = trace
  if (pid === undefined) return false
  return (await askInside(docker, trace, ['sh', '-c', 'kill -0 "$1"', 'sh', String(pid)]))?.code === 0
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
