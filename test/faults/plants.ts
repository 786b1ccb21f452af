/** Bugs that are planted into an engine from outside, to see that a suite finds them. */
import type { Engine } from '../../src/engine/engine.ts'
import { shortenTimeouts } from './net/short-timeouts.ts'

type Plant = (engine: Engine) => Partial<Engine>

const PLANTS: Record<string, Plant> = {
  /** Says yes to a start, and then sees to it. */
  'answers before it is stored': (engine) => ({
    async start(request) {
      const dagRunId = request.dagRunId ?? 'none'
      setTimeout(() => void engine.start(request).catch(() => {}), 150)
      return { name: request.fileName ?? '', dagRunId }
    }
  }),
  /** A home that is gone, a disk that refuses: what should be 503 is answered as if it were stored. */
  'acknowledges what it cannot keep': (engine) => ({
    start: (request) =>
      engine.start(request).catch((error: { code?: string }) => {
        if (error.code !== 'service_unavailable') throw error
        return { name: request.fileName ?? '', dagRunId: request.dagRunId ?? 'none' }
      })
  }),
  /** Every start of an id that exists is answered as if it were new. */
  'answers a second start of an id with 200': (engine) => ({
    start: (request) =>
      engine.start(request).catch((error: { code?: string }) => {
        if (error.code !== 'already_exists') throw error
        return { name: request.fileName ?? '', dagRunId: request.dagRunId ?? '' }
      })
  })
}

/** Bugs of the process that an engine is in. */
const IN_PROCESS: Record<string, () => void> = {
  'signals the first process of a step alone': () => {
    const kill = process.kill.bind(process)
    process.kill = (pid, signal) => kill(Math.abs(pid), signal)
  },
  'waits for slow clients for ever': () => shortenTimeouts(0),
  'works for one client at a time': () => {
    setInterval(() => {
      for (const until = performance.now() + 250; performance.now() < until; );
    }, 260)
  }
}

/** From now on. */
export const plantInProcess = (name: string): void => IN_PROCESS[name]?.()

/** The engine with a bug; as it is for one that is not of engines. */
export function planted(engine: Engine, name: string): Engine {
  const plant = PLANTS[name]
  if (!plant) return engine
  return Object.assign(Object.create(engine), plant(engine))
}
