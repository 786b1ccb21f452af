/**
 * A command in a running container. A shell inside says its process id and runs the command in its group, so that a stop reaches
 * it; an image without a shell runs the command all the same, out of reach. Source: execution-semantics 10.2.4, 10.2.14, 10.2.23.
 */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { ExecutionError } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { beginning } from './beginning.ts'
import { inspected, notedOf } from './containers.ts'
import { type Piece, pieces } from './frames.ts'
import { askInside, type CommandTrace, execOf, markedInside, preamble, type Slip } from './inside.ts'
import { isUnreachable, patiently } from './patience.ts'
import { KILLED, type Target, type TargetEnd } from './target.ts'

/** What is run, with the engine's names of its settings. */
export interface Command {
  container: string
  words: string[]
  user?: string
  /** Path of a file inside in which its exit code is kept; absent: nothing is left there. */
  slip?: string
  /** Further settings of the engine's API: WorkingDir, Env, Privileged. */
  settings: Record<string, unknown>
}

/** To the whole group, which the command leads. */
const SIGNAL = 'kill "-$1" "-$2" 2>/dev/null || kill "-$1" "$2" 2>/dev/null'
/** The engine's answer where there is no such program. */
const NOT_STARTED = /OCI runtime exec failed|unable to start container process|executable file not found/
/** Why the engine began nothing at all: it says so where the command would have begun to write. */
const REFUSED = /^(?:OCI runtime exec failed|unable to find (?:user|group) )/
const LOOK_MS = 500
const MARK_BYTES = 8
/** How long a command may take to begin that was told to, and how often it is looked for. */
const BEGIN_MS = 5_000
const SOUGHT_MS = 100
/** How long the output is read on after the command's end: what it left behind may hold the stream. */
const DRAIN_MS = 2_000

/** The connection that its output came by was lost before its end. */
export class BrokenOff extends Error {
  readonly trace: CommandTrace
  constructor(trace: CommandTrace) {
    super('the connection to the Docker engine was lost; whether the command has ended is not known')
    this.trace = trace
  }
}

// D612
/** @param note told what finds it again, each time that more is known */
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
    if (trace.pid === undefined && name !== 'SIGKILL') return // it hears of it as soon as it has said its id
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
        // No shell inside, or no such program: the command by itself tells which.
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
      if (ask && !killed) await send('SIGKILL') // what it left behind in its group
    }
  }

  async function begun(id: string): Promise<Readable> {
    try {
      return (await docker.getExec(id).start({ hijack: false, stdin: false })) as unknown as Readable
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === 'connect') throw error // it was not asked for
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

/** Whether a command is not at work any more, as far as the engine knows. */
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

/** One that was made and not begun is not over. */
async function isOver(docker: Docker, trace: CommandTrace): Promise<boolean> {
  const known = await execOf(docker, trace)
  return !known || (!known.Running && known.ExitCode !== null)
}

/** The process with the mark of a command. One that is about to begin is not there yet: it is looked for until it is, or was. */
async function sought(docker: Docker, clock: Clock, trace: CommandTrace): Promise<number | undefined> {
  if (trace.mark === undefined) return undefined
  const until = clock.elapsed() + BEGIN_MS
  while (true) {
    const over = await isOver(docker, trace) // before the look: Docker may take one for ended that it cannot hear
    const pid = await markedInside(docker, trace)
    if (pid !== undefined || over || clock.elapsed() > until) return pid
    await pause(clock, SOUGHT_MS)
  }
}

// D637
/** @param asked it was sent a signal */
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

/** Of a container that goes on the engine says it in its events only. */
async function ranOutOfMemory(docker: Docker, { container, exec }: CommandTrace): Promise<boolean> {
  const notes = await notedOf(docker, container)
  const begun = notes.findIndex(({ what, attributes }) => what.startsWith('exec_start') && attributes.execID === exec)
  return notes.slice(Math.max(0, begun)).some(({ what }) => what === 'oom')
}
