/** Bugs that are planted into an engine from outside, to see that a suite finds them. */
import type { Engine } from '../../src/index.ts'

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
  /** Every start of an id that exists is answered as if it were new. */
  'answers a second start of an id with 200': (engine) => ({
    start: (request) =>
      engine.start(request).catch((error: { code?: string }) => {
        if (error.code !== 'already_exists') throw error
        return { name: request.fileName ?? '', dagRunId: request.dagRunId ?? '' }
      })
  })
}

/** The engine with a bug. @throws Error for one that is not known */
export function planted(engine: Engine, name: string): Engine {
  const plant = PLANTS[name]
  if (!plant) return engine
  return Object.assign(Object.create(engine), plant(engine))
}
