/** docker steps on a real engine, for the tests of their executor. */
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import { docker } from '../../../src/executors/docker/docker.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { temporaryFolder } from '../homes.ts'
import { dockerService, IMAGE } from './docker.ts'
import { benchOf } from './executions.ts'

export const config = (more: Execution['config'] = {}) => ({ image: IMAGE, autoRemove: true, ...more })
export const sh = (text: string) => ['sh', '-c', text]

/** A fresh executor for each test of a `describe`, on an engine that is up as long as they run. */
export function dockerSteps() {
  const service = dockerService()
  const home = temporaryFolder()
  let executor: Executor
  /** Another executor takes the place of the one that was there. */
  const open = (environment: Record<string, string> = {}, clock = systemClock): void => {
    executor = docker(dockerEngine(home, { ...service.environment, ...environment }, clock), clock)
  }
  const close = () => executor.close?.()
  beforeEach(() => open())
  afterEach(close)
  return {
    service,
    bench: benchOf(() => executor),
    open,
    close,
    find: (execution: Execution) => executor.find(execution),
    abandon: (execution: Execution) => executor.abandon?.(execution),
    inspect: (name: string) => service.client.getContainer(name).inspect(),
    remove: (name: string) => service.client.getContainer(name).remove({ force: true }),
    /** A container that somebody else has started. */
    async theirs(name: string, cmd = sh('while true; do sleep 86400; done')): Promise<void> {
      const container = await service.client.createContainer({ name, Image: IMAGE, Cmd: cmd })
      await container.start()
    }
  }
}
