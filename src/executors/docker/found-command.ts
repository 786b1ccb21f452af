/**
 * A command in a running container that an engine before this one has started: its end is waited for. What it has written
 * since is lost, as Docker keeps no log of a command. Source: execution-semantics 13.5.3.
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

/** What the engine says of a command whose output it could not deliver any more, whatever its exit code was. */
const UNDELIVERED = 126
/** What it notes at the end of one whose streams it has closed itself: it did not look. */
const UNSEEN = 127

/** Of a command: it goes on, has ended with a code, or has ended and nobody knows how. */
export type Standing = 'goes on' | 'lost' | { code: number }

/** What is lost of a command, and how. */
interface Loss {
  /** Its output is wanted by others: without it nothing is known of the step. */
  captured: boolean
  /** Why its output cannot be had any more. */
  since: string
  /** What its output and its exit code were lost with. */
  lostWith: string
  /** It has been sent a signal. */
  asked?: boolean
}

/** @param captured its output is wanted by others */
export const foundCommand = (docker: Docker, trace: CommandTrace, captured: boolean, clock: Clock): Target =>
  waitedFor(docker, trace, { captured, since: 'the engine was restarted', lostWith: 'the engine' }, clock)

// D617
/** A command whose output comes; when that breaks off, its end is waited for. @param captured its output is wanted by others */
export function heldCommand(docker: Docker, heard: Target, captured: boolean, clock: Clock): Target {
  let current = heard
  let asked: string | undefined
  return {
    async signal(name) {
      asked = name
      await current.signal(name)
    },
    async follow(output, closing) {
      try {
        return await heard.follow(output, closing)
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error
        const since = 'the connection to the Docker engine was lost'
        const loss = { captured, since, lostWith: 'the connection to the Docker engine', asked: asked !== undefined }
        current = waitedFor(docker, error.trace, loss, clock)
        if (asked && error.trace.pid === undefined) await current.signal(asked)
        return current.follow(output, closing)
      }
    },
    tidy: heard.tidy
  }
}

function waitedFor(docker: Docker, trace: CommandTrace, loss: Loss, clock: Clock): Target {
  // In a container that was restarted meanwhile its id may be that of another, its mark is not.
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
        await pause(clock, LOOK_MS, closing) // its end may not have been noted yet
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

/** How a command stands; one that the Docker engine has forgotten, as it was restarted, may be at work all the same. @throws Error */
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

/** The exit code in the engine's own notes of what happened; undefined: there is none, or none any more. */
async function notedCode(docker: Docker, { exec, container }: CommandTrace): Promise<number | undefined> {
  const ends = (await notedOf(docker, container)).filter(({ what }) => what === 'exec_die')
  const noted = ends.find(({ attributes }) => attributes.execID === exec)?.attributes.exitCode
  return noted === undefined ? undefined : Number(noted)
}
