/**
 * A command in a running container. A shell inside reports its process id and runs the command in its group, so that a stop
 * reaches it; in an image without a shell the command runs out of reach. Source: execution-semantics 10.2.4, 10.2.14, 10.2.23.
 */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { ExecutionError } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { beginning } from './beginning.ts'
import { readable } from './connection.ts'
import { inspected, notedOf } from './containers.ts'
import { type Piece, pieces } from './frames.ts'
import { askInside, type CommandTrace, execOf, markedInside, preamble, type Slip } from './inside.ts'
import { isUnreachable, isUnsent, patiently } from './patience.ts'
import { KILLED, type Target, type TargetEnd } from './target.ts'

/** The command, with the settings in the names of the Docker API. */
export interface Command {
  container: string
  words: string[]
  user?: string
  /** Path of a file inside that keeps its exit code; absent: none. */
  slip?: string
  /** Other settings of the Docker API: WorkingDir, Env, Privileged. */
  settings: Record<string, unknown>
}

/** Signals the whole group, which the command leads. */
const SIGNAL = 'kill "-$1" "-$2" 2>/dev/null || kill "-$1" "$2" 2>/dev/null'
/** The Docker engine's answer for a missing program. */
const NOT_STARTED = /OCI runtime exec failed|unable to start container process|executable file not found/
/** Why the Docker engine started nothing: its message in place of the command's output. */
const REFUSED = /^(?:OCI runtime exec failed|unable to find (?:user|group) )/
const LOOK_MS = 500
const MARK_BYTES = 8
/** How long a requested command may take to begin, and how often to look for it. */
const BEGIN_MS = 5_000
const SOUGHT_MS = 100
/** How long the output is read after the end of the command: its orphans may keep the stream open. */
const DRAIN_MS = 2_000

/** The connection of its output was lost before its end. */
export class BrokenOff extends Error {
  readonly trace: CommandTrace
  constructor(trace: CommandTrace) {
    super('the connection to the Docker engine was lost; whether the command has ended is not known')
    this.trace = trace
  }
}

// D612: docker: a command in a running container starts in a shell
/** @param note receives what is needed to find it again, each time more is known */
export async function startCommand(
  docker: Docker,
  command: Command,
  clock: Clock,
  note: (trace: CommandTrace) => void
): Promise<Target> {
  const { container, words, user, settings } = command
  const mark = Buffer.from(clock.random(MARK_BYTES)).toString('hex')
  const slip: Slip | undefined = command.slip === undefined ? undefined : { path: command.slip, key: mark }
  const make = (cmd: string[]) =>
    docker.getContainer(container).exec({
      ...settings,
      AttachStdout: true,
      AttachStderr: true,
      Cmd: cmd,
      ...(user ? { User: user } : {})
    })
  const found = { container, ...(user ? { user } : {}) }
  const { id: exec } = await make([...preamble(mark, slip), ...words])
  let trace: CommandTrace = { exec, ...found, mark, ...(slip ? { slip } : {}) }
  note(trace)
  let ask: string | undefined
  let killed = false
  const send = async (name: string) => {
    if (trace.pid === undefined && name !== 'SIGKILL') return // the signal is sent as soon as its id is known
    await target.signal(name)
    killed ||= name === 'SIGKILL' && trace.pid !== undefined
  }
  const target = reached(docker, clock, () => trace)
  return {
    async signal(name) {
      ask = name
      await send(name)
    },
    async follow(output, closing) {
      let stream = await begun(trace.exec)
      let opening = await beginning(stream).catch(brokenOff)
      if (opening.pid === undefined && NOT_STARTED.test(opening.said)) {
        // No shell inside, or no such program: running the command without a shell shows which.
        trace = { exec: (await make(words)).id, ...found }
        note(trace)
        stream = await begun(trace.exec)
        opening = { held: [], rest: pieces(stream, false), said: '' }
      }
      if (opening.pid !== undefined) {
        trace = { ...trace, pid: opening.pid }
        note(trace)
        if (ask) await send(ask)
      }
      const close = () => void stream.destroy(new Error('the engine closes'))
      closing.addEventListener('abort', close, { once: true })
      const over = new AbortController()
      void endsWithCommand(stream, over.signal)
      try {
        let mayBeRefused = opening.pid === undefined
        const copy = async ({ from, bytes }: Piece) => {
          const isReason = mayBeRefused && REFUSED.test(bytes.toString())
          mayBeRefused = false
          await write(output[isReason ? 'stderr' : from], bytes)
        }
        for (const piece of opening.held) await copy(piece)
        for await (const piece of opening.rest) await copy(piece)
      } catch (error) {
        if (!closing.aborted && isUnreachable(error)) return brokenOff(error)
        if (closing.aborted || !(await hasEnded(docker, trace).catch(() => false))) throw error
      } finally {
        over.abort()
        closing.removeEventListener('abort', close)
      }
      const known = await patiently(clock, closing, () => execOf(docker, trace))
      if (!known || known.Running) throw new BrokenOff(trace)
      const { ExitCode: code } = known
      if (code === null)
        throw new ExecutionError(1, 'the container ended, and with it the command: its exit code is not known')
      return await commandEnd(docker, trace, code, ask !== undefined)
    },
    async tidy() {
      if (ask && !killed) await send('SIGKILL') // orphans in its group
    }
  }

  async function begun(id: string): Promise<Readable> {
    try {
      return readable(await docker.getExec(id).start({ hijack: false, stdin: false }))
    } catch (error) {
      if (isUnsent(error)) throw error
      return brokenOff(error)
    }
  }

  function brokenOff(error: unknown): never {
    throw isUnreachable(error) ? new BrokenOff(trace) : error
  }

  async function endsWithCommand(stream: Readable, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await pause(clock, LOOK_MS, over)
      if (over.aborted || !(await hasEnded(docker, trace).catch(() => false))) continue
      await pause(clock, DRAIN_MS, over)
      if (!over.aborted) stream.destroy(new Error('its output is held open'))
      return
    }
  }
}

/** Whether a command has ended, as far as the Docker engine knows. */
const hasEnded = async (docker: Docker, trace: CommandTrace): Promise<boolean> =>
  (await execOf(docker, trace))?.Running !== true

/** Signals to a command inside its container. */
export function reached(
  docker: Docker,
  clock: Clock,
  traced: () => CommandTrace | Promise<CommandTrace>
): Pick<Target, 'signal'> {
  return {
    async signal(name) {
      const trace = await traced()
      const { container, user, pid = await sought(docker, clock, trace) } = trace
      if (pid !== undefined) {
        const words = ['sh', '-c', SIGNAL, 'sh', name.replace(/^SIG/, ''), String(pid)]
        await askInside(docker, { container, ...(user ? { user } : {}) }, words)
      } else if (name === 'SIGKILL' && (await inspected(docker, container))?.State.Running) {
        const { mark } = trace
        if (await (mark === undefined ? isOver(docker, trace) : hasEnded(docker, trace))) return
        const why = mark === undefined ? 'which has no shell' : 'its process is not to be found there'
        throw new Error(`the command cannot be signaled inside its container, ${why}: it continues`)
      }
    }
  }
}

/** A command that was created but not started has not ended. */
async function isOver(docker: Docker, trace: CommandTrace): Promise<boolean> {
  const known = await execOf(docker, trace)
  return !known || (!known.Running && known.ExitCode !== null)
}

/** The process with the mark of a command, looked for until it has begun or ended. */
async function sought(docker: Docker, clock: Clock, trace: CommandTrace): Promise<number | undefined> {
  if (trace.mark === undefined) return undefined
  const until = clock.elapsed() + BEGIN_MS
  while (true) {
    const over = await isOver(docker, trace) // checked first: Docker may report a command as ended when it has lost its output
    const pid = await markedInside(docker, trace)
    if (pid !== undefined || over || clock.elapsed() > until) return pid
    await pause(clock, SOUGHT_MS)
  }
}

// D637: docker: a broken connection does not end a command
/** @param asked whether a signal was sent */
export async function commandEnd(
  docker: Docker,
  trace: CommandTrace,
  code: number,
  asked: boolean
): Promise<TargetEnd> {
  const cause = code === 0 ? {} : { cause: `exec failed with exit code: ${code}` }
  if (code !== KILLED || asked || !(await ranOutOfMemory(docker, trace))) return { exitCode: code, ...cause }
  return { exitCode: code, ...cause, remark: 'the container has run out of memory (OOMKilled)' }
}

/** For a running container the Docker engine reports this only in its events. */
async function ranOutOfMemory(docker: Docker, { container, exec }: CommandTrace): Promise<boolean> {
  const notes = await notedOf(docker, container)
  const begun = notes.findIndex(({ what, attributes }) => what.startsWith('exec_start') && attributes.execID === exec)
  return notes.slice(Math.max(0, begun)).some(({ what }) => what === 'oom')
}
