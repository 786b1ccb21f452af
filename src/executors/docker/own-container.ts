/** A container of a single step: its log is copied, its exit code is the step's. Source: execution-semantics 10.2.6-14. */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { type Clock, pause } from '../../clock.ts'
import { write } from '../frame/step-output.ts'
import { readable, reasonOf, statusOf } from './connection.ts'
import { inspected, removeContainer } from './containers.ts'
import { pieces } from './frames.ts'
import { patiently } from './patience.ts'
import { KILLED, type Target, type TargetEnd } from './target.ts'

/** Polling interval for a container that outlives its log. */
const LOOK_MS = 500

// D611: docker: output comes by attach, and after a restart from the container's log
/**
 * A log is always read from its beginning, and what was copied before is skipped, so nothing is lost or duplicated.
 * @param attached its output from the start; when it breaks off, and for an adopted container, the log replaces it
 */
export function ownContainer(
  docker: Docker,
  id: string,
  autoRemove: boolean,
  clock: Clock,
  attached?: { stream: Readable; tty: boolean }
): Target {
  const container = docker.getContainer(id)
  return {
    async signal(name) {
      try {
        await container.kill({ signal: name })
      } catch (error) {
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error // it has ended, or never began
        if ((await inspected(docker, id))?.State.Status === 'created') await removeContainer(docker, id)
      }
    },
    async follow(output, closing) {
      const copied = { stdout: 0, stderr: 0 }
      let live = attached
      let unreadable: string | undefined
      while (true) {
        const end = await patiently(clock, closing, pass)
        if (end) return end
        await pause(clock, LOOK_MS, closing)
      }

      /** Copies the log to its end. @returns undefined while the container runs: a restart policy may start it again */
      async function pass(): Promise<TargetEnd | undefined> {
        const tty = live ? live.tty : await begun()
        if (unreadable === undefined) unreadable = await copyLog(tty)
        else await container.wait()
        const state = (await inspected(docker, id))?.State
        if (!state) throw new Error(GONE)
        if (state.Running || state.Restarting) return undefined
        return { ...endOf(state, unreadable), ...(attached ? {} : { at: Date.parse(state.FinishedAt) }) }
      }

      /** Starts it if a crash came before that. @returns whether it has a terminal */
      async function begun(): Promise<boolean> {
        const info = await inspected(docker, id)
        if (!info) throw new Error(GONE)
        if (info.State.Status === 'created') await container.start()
        return info.Config.Tty
      }

      /** @returns why it cannot be read */
      async function copyLog(tty: boolean): Promise<string | undefined> {
        closing.throwIfAborted()
        const passed = { stdout: 0, stderr: 0 }
        let log: Readable
        try {
          log = live?.stream ?? readable(await container.logs({ follow: true, stdout: true, stderr: true }))
          live = undefined
        } catch (error) {
          if (/logging driver|does not support reading/.test(reasonOf(error))) return reasonOf(error)
          throw error
        }
        const close = () => void log.destroy(new Error('the engine closes'))
        closing.addEventListener('abort', close, { once: true })
        try {
          for await (const { from, bytes } of pieces(log, tty)) {
            const known = Math.min(bytes.length, copied[from] - passed[from])
            passed[from] += bytes.length
            if (known === bytes.length) continue
            await write(output[from], bytes.subarray(known))
            copied[from] = passed[from]
          }
          return undefined
        } finally {
          closing.removeEventListener('abort', close)
        }
      }
    },
    async tidy() {
      if (autoRemove) await removeContainer(docker, id)
    }
  }
}

const GONE = 'the container was removed while it ran'

function endOf(state: Docker.ContainerInspectInfo['State'], unreadable: string | undefined): TargetEnd {
  const exitCode = state.OOMKilled && state.ExitCode === 0 ? KILLED : state.ExitCode // a shell pipeline may hide that a process was killed
  const remarks = [
    ...(state.OOMKilled ? ['the container ran out of memory: the system killed a process in it (OOMKilled)'] : []),
    ...(state.Error ? [state.Error] : []),
    ...(unreadable === undefined ? [] : [`the output of the container cannot be read: ${unreadable}`])
  ]
  return { exitCode, ...(remarks.length > 0 ? { remark: remarks.join('\n') } : {}) }
}
