/**
 * A command in a running container that an earlier engine has started: its end is awaited. Its output since then is lost,
 * because Docker keeps no log of a command. Source: execution-semantics 13.5.3.
 */
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { write } from '../frame/step-output.ts'
import { BrokenOff, commandEnd, reached } from './command-in.ts'
import { reasonOf } from './connection.ts'
import { notedOf } from './containers.ts'
import { type CommandTrace, execOf, isAliveInside, onSlip } from './inside.ts'
import { isUnreachable, patiently } from './patience.ts'
import { KILLED, type Target } from './target.ts'

const LOOK_MS = 500

/** The exit code that Docker reports for a command whose output it could not deliver. */
const UNDELIVERED = 126
/** The exit code in the event of a command whose streams Docker has closed itself: it did not check. */
const UNSEEN = 127

/** State of a command: running, ended with a code, or ended with an unknown outcome. */
export type Standing = 'goes on' | 'lost' | { code: number }

/** What was lost of a command, and why. */
interface Loss {
  /** The output of the command is captured for later steps: without it the outcome is unknown. */
  captured: boolean
  /** Why the output of the command is lost. */
  since: string
  /** What took the output and the exit code of the command with it. */
  lostWith: string
  /** A signal was sent. */
  asked?: boolean
}

/** @param captured its output is captured for later steps */
export const foundCommand = (docker: Docker, trace: CommandTrace, captured: boolean, clock: Clock): Target =>
  waitedFor(docker, trace, { captured, since: 'the engine was restarted', lostWith: 'the engine' }, clock)

// D617: docker: exit code 126 is not believed after a crash
/** A command whose output is read; when that breaks off, its end is awaited. @param captured its output is captured for later steps */
export function heldCommand(docker: Docker, attached: Target, captured: boolean, clock: Clock): Target {
  let current = attached
  let asked: string | undefined
  return {
    async signal(name) {
      asked = name
      await current.signal(name)
    },
    async follow(output, closing) {
      try {
        return await attached.follow(output, closing)
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error
        const since = 'the connection to the Docker engine was lost'
        const loss = { captured, since, lostWith: 'the connection to the Docker engine', asked: asked !== undefined }
        current = waitedFor(docker, error.trace, loss, clock)
        if (asked && error.trace.pid === undefined) await current.signal(asked)
        return current.follow(output, closing)
      }
    },
    tidy: attached.tidy
  }
}

function waitedFor(docker: Docker, trace: CommandTrace, loss: Loss, clock: Clock): Target {
  // After a restart of the container another process may have its id, but not its mark.
  const { pid, ...marked } = trace
  const known = trace.mark === undefined && pid !== undefined ? { ...marked, pid } : marked
  const target = reached(docker, clock, async () => ({ ...known, ...(await onSlip(docker, trace)) }))
  const { captured, since, lostWith } = loss
  let { asked = false } = loss
  return {
    async signal(name) {
      asked = true
      await target.signal(name)
    },
    async follow({ stderr }, closing) {
      const look = () =>
        patiently(clock, closing, () => standingOf(docker, trace)).catch((error: Error) => {
          throw isUnreachable(error) ? interrupted(reasonOf(error)) : error
        })
      let standing = await look()
      while (standing === 'goes on') {
        await pause(clock, LOOK_MS, closing)
        closing.throwIfAborted()
        standing = await look()
      }
      if (standing === 'lost') {
        await pause(clock, LOOK_MS, closing) // its end may not be recorded yet
        standing = await look()
      }
      if (captured && !asked) throw interrupted(`its output was lost with ${lostWith}`)
      await write(stderr, `${since}: output of the command since then is lost\n`)
      if (typeof standing === 'object') return commandEnd(docker, trace, standing.code, asked)
      if (asked) return { exitCode: KILLED }
      throw interrupted(`its exit code was lost with ${lostWith}`)
    },
    tidy: async () => {}
  }
}

const interrupted = (why: string) => new TroupeError('internal_error', `interrupted: outcome unknown: ${why}`)

/** The state of a command. One that Docker has forgotten after a restart may still be running. @throws Error */
export async function standingOf(docker: Docker, trace: CommandTrace): Promise<Standing> {
  const known = await execOf(docker, trace)
  if (known?.Running) return 'goes on'
  const code = known?.ExitCode
  if (known && (code === null || code === undefined)) return 'lost' // it never began, or ended with its container
  if (typeof code === 'number' && code !== UNDELIVERED) return { code }
  const slip = await onSlip(docker, trace)
  if (slip?.code !== undefined) return { code: slip.code }
  if (slip && (await isAliveInside(docker, { ...trace, pid: slip.pid }))) return 'goes on'
  const noted = await notedCode(docker, trace)
  if (noted === UNSEEN) return 'lost'
  if (noted !== undefined) return { code: noted }
  return (await isAliveInside(docker, trace)) ? 'goes on' : 'lost'
}

/** The exit code in Docker's events; undefined: there is none, or no longer. */
async function notedCode(docker: Docker, { exec, container }: CommandTrace): Promise<number | undefined> {
  const ends = (await notedOf(docker, container)).filter(({ what }) => what === 'exec_die')
  const noted = ends.find(({ attributes }) => attributes.execID === exec)?.attributes.exitCode
  return noted === undefined ? undefined : Number(noted)
}
