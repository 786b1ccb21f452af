/** Workflows on an engine of ours, with a real Docker engine beside it. */
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { type Ended, seen } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'
import { dockerService } from './docker.ts'

/** For the tests of a `describe`: the Docker engine is that of this process, too, and `OUTSIDE` is `seen` there. */
export function dockerWorkflows() {
  const service = dockerService()
  let engine: Engine
  let count = 0
  const open = (home: string) => createEngine({ home, defaultShell: 'sh' })
  const earlier = { ...process.env }
  before(async () => {
    Object.assign(process.env, { DOCKER_HOST: service.address, OUTSIDE: 'seen' }) // the server's environment
    engine = await open(temporaryFolder())
  })
  after(async () => {
    await engine?.close()
    for (const name of ['DOCKER_HOST', 'OUTSIDE']) {
      if (earlier[name] === undefined) delete process.env[name]
      else process.env[name] = earlier[name]
    }
  })
  const start = (spec: string) => engine.start({ spec, name: `docker-${++count}` })
  return {
    service,
    /** Another one, of this home. */
    open,
    get engine() {
      return engine
    },
    start,
    run: async (spec: string): Promise<Ended> => seen(await engine.result(await start(spec))),
    /** Containers of a run that are there. */
    ofRun: ({ name, dagRunId }: RunKey) => service.labelled(`troupe.run=${name}/${dagRunId}`)
  }
}
