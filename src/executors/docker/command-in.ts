/**
 * A command in a running container. A shell inside says its process id and then runs the command, so that a stop reaches
 * the process; an image without a shell runs the command all the same, out of reach. Source: execution-semantics 10.2.4, 10.2.14, 10.2.23.
 */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { ExecutionError } from '../in-process.ts'
import { write } from '../step-output.ts'
import { inspected, notedOf } from './containers.ts'
import { type Piece, pieces } from './frames.ts'
import { askInside, type CommandTrace, preamble, type Slip } from './inside.ts'
import { KILLED, type Target, type TargetEnd } from './target.ts'

/** What is run, with the engine's names of its settings. */
export interface Command {
  container: string
  words: string[]
  user?: string
  /** Where its exit code is kept inside; absent: nothing is left there. */
  slip?: Slip
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
/** How long the output is read on after the command's end: what it left behind may hold the stream. */
const DRAIN_MS = 2_000

/** @param note told what finds it again, each time that more is known */
export async function startCommand(
  docker: Docker,
  command: Command,
  clock: Clock,
  note: (trace: CommandTrace) => void
): Promise<Target> {
  const { container, words, user, slip, settings } = command
  const make = (cmd: string[]) =>
    docker.getContainer(container).exec({
      ...settings,
      AttachStdout: true,
      AttachStderr: true,
      Cmd: cmd,
      ...(user ? { User: user } : {})
    })
  const found = { container, ...(user ? { user } : {}) }
  const { id: exec } = await make([...preamble(slip), ...words])
  let trace: CommandTrace = { exec, ...found, ...(slip ? { slip } : {}) }
  note(trace)
  let ask: string | undefined
  let killed = false
  const send = async (name: string) => {
    await target.signal(name)
    killed ||= name === 'SIGKILL' && trace.pid !== undefined
  }
  const target = reached(docker, () => trace)
  return {
    async signal(name) {
      ask = name
      await send(name)
    },
    async follow(output, closing) {
      let stream = await open(trace.exec)
      let opening = await beginning(stream)
      if (opening.pid === undefined && NOT_STARTED.test(opening.said)) {
        // No shell inside, or no such program: the command by itself tells which.
        trace = { exec: (await make(words)).id, ...found }
        note(trace)
        stream = await open(trace.exec)
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
      void endsWithCommand(stream, trace.exec, over.signal)
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
        if (closing.aborted || !(await hasEnded(docker, trace.exec).catch(() => false))) throw error
      } finally {
        over.abort()
        closing.removeEventListener('abort', close)
      }
      return await endOf(docker, trace, ask !== undefined)
    },
    async tidy() {
      if (ask && !killed) await send('SIGKILL') // what it left behind in its group
    }
  }

  async function open(id: string): Promise<Readable> {
    return (await docker.getExec(id).start({ hijack: false, stdin: false })) as unknown as Readable
  }

  async function endsWithCommand(stream: Readable, id: string, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await pause(clock, LOOK_MS, over)
      if (over.aborted || !(await hasEnded(docker, id).catch(() => false))) continue
      await pause(clock, DRAIN_MS, over)
      if (!over.aborted) stream.destroy(new Error('its output is held open'))
      return
    }
  }
}

/** Whether a command is not at work any more. @throws Error when the engine does not know it */
async function hasEnded(docker: Docker, exec: string): Promise<boolean> {
  return !(await docker.getExec(exec).inspect()).Running
}

/** Signals to a command inside its container. */
export function reached(docker: Docker, traced: () => CommandTrace | Promise<CommandTrace>): Pick<Target, 'signal'> {
  return {
    async signal(name) {
      const { exec, container, pid, user } = await traced()
      if (pid === undefined) {
        if (name === 'SIGKILL' && (await inspected(docker, container))?.State.Running && !(await isOver(exec)))
          throw new Error('the command cannot be reached inside its container, which has no shell: it goes on')
        return
      }
      const words = ['sh', '-c', SIGNAL, 'sh', name.replace(/^SIG/, ''), String(pid)]
      await askInside(docker, { container, ...(user ? { user } : {}) }, words)
    }
  }
  /** One that was made and not begun is not over. */
  async function isOver(exec: string): Promise<boolean> {
    const { Running, ExitCode } = await docker.getExec(exec).inspect()
    return !Running && ExitCode !== null
  }
}

interface Beginning {
  pid?: number
  /** Text so far, where there was no process id. */
  said: string
  held: Piece[]
  rest: AsyncGenerator<Piece>
}

/** Reads up to the line with the process id, and takes it out. */
async function beginning(stream: Readable): Promise<Beginning> {
  const rest = pieces(stream, false)
  const held: Piece[] = []
  let line = Buffer.alloc(0)
  while (true) {
    const { value: piece, done } = await rest.next()
    if (done) break
    if (piece.from === 'stdout') {
      held.push(piece)
      continue
    }
    line = Buffer.concat([line, piece.bytes])
    const end = line.indexOf('\n')
    if (end < 0) continue
    const pid = Number(line.subarray(0, end).toString())
    if (!Number.isInteger(pid)) break
    const more = line.subarray(end + 1)
    if (more.length > 0) held.push({ from: 'stderr', bytes: more })
    return { pid, said: '', held, rest }
  }
  if (line.length > 0) held.push({ from: 'stderr', bytes: line })
  return { said: Buffer.concat(held.map(({ bytes }) => bytes)).toString(), held, rest }
}

async function endOf(docker: Docker, trace: CommandTrace, asked: boolean): Promise<TargetEnd> {
  const { ExitCode: code } = await docker.getExec(trace.exec).inspect()
  if (code === null || code === undefined)
    throw new ExecutionError(1, 'the container ended, and with it the command: its exit code is not known')
  return commandEnd(docker, trace, code, asked)
}

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
