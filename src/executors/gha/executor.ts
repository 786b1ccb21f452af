/** `gha` steps, before one is there: what works is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { DockerEngine } from '../docker/connection.ts'
import type { InProcess } from '../frame/in-process.ts'
import type { Capture } from '../launcher/capture.ts'
import type { Gha } from './gha.ts'

/** The time that its containers have to end before they are removed without it. */
const CONTAINER_KILL_MS = 900

export function gha(engine: DockerEngine, capture: Capture, clock: Clock): InProcess {
  let opened: Promise<Gha> | undefined
  const open = () => {
    opened ??= import('./gha.ts').then(({ openGha }) => openGha(engine, capture, clock))
    return opened
  }
  return {
    type: 'gha',
    reads: 'words',
    needs: ['container', 'inputs'],
    killMs: CONTAINER_KILL_MS,
    interrupted: async (traces) => (await open()).interrupted(traces),
    perform: async (work) => (await open()).perform(work),
    close: () => void opened?.then((actions) => actions.close())
  }
}
