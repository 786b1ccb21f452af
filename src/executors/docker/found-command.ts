/**
 * A command in a running container that an engine before this one has started: its end is waited for. What it has written
 * since is lost, as Docker keeps no log of a command. Source: execution-semantics 13.5.3.
 */
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { write } from '../step-output.ts'
import { commandEnd, reached } from './command-in.ts'
import { notedOf } from './containers.ts'
import { type CommandTrace, isAliveInside, onSlip } from './inside.ts'
import { patiently } from './patience.ts'
import { KILLED, type Target } from './target.ts'

const LOOK_MS = 500

/** What the engine says of a command whose output it could not deliver any more, whatever its exit code was. */
const UNDELIVERED = 126
/** What it notes at the end of one whose streams it has closed itself: it did not look. */
const UNSEEN = 127

/** Of a command: it goes on, has ended with a code, or has ended and nobody knows how. */
export type Standing = 'goes on' | 'lost' | { code: number }

/** @param captured its output is wanted by others: without it nothing is known of the step */
export function foundCommand(docker: Docker, trace: CommandTrace, captured: boolean, clock: Clock): Target {
  const target = reached(docker, async () => ({ ...trace, ...(await onSlip(docker, trace)) }))
  let asked = false
  return {
    async signal(name) {
      asked = true
      await target.signal(name)
    },
    async follow({ stderr }, closing) {
      const look = () => patiently(clock, closing, () => standingOf(docker, trace))
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
      if (captured && !asked) throw interrupted('its output was lost with the engine')
      await write(stderr, 'the engine was restarted: output of the command since then is lost\n')
      if (typeof standing === 'object') return commandEnd(docker, trace, standing.code, asked)
      if (asked) return { exitCode: KILLED }
      throw interrupted('its exit code was lost with the engine')
    },
    tidy: async () => {}
  }
}

const interrupted = (why: string) => new TroupeError('internal_error', `interrupted: outcome unknown: ${why}`)

/** @throws Error when the Docker engine does not know the command */
export async function standingOf(docker: Docker, trace: CommandTrace): Promise<Standing> {
  const { Running: running, ExitCode: code } = await docker.getExec(trace.exec).inspect()
  if (running) return 'goes on'
  if (code === null || code === undefined) return 'lost' // it never began, or ended with its container
  if (code !== UNDELIVERED) return { code }
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
