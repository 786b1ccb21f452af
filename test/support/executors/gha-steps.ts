/** gha steps on a real Docker engine, with actions from git repositories on this machine, for the tests of their executor. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import { type Launcher, openLauncher } from '../../../src/executors/launcher/launcher.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { textOf } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'
import { actionRepositories } from './actions.ts'
import { dockerService, IMAGE } from './docker.ts'
import { benchOf } from './executions.ts'

/** The JSON object at the end of what a step wrote. */
export const outputOf = (run: { out: string; outputFrom?: number }) => JSON.parse(run.out.slice(run.outputFrom))

/** A fresh executor for each test of a `describe`, which leaves nothing, on an engine that is up as long as they run. */
export function ghaSteps() {
  const service = dockerService()
  const home = temporaryFolder()
  const repositories = actionRepositories()
  let executor: Executor
  let launcher: Launcher
  const commands = join(temporaryFolder(), 'commands')
  const open = (environment = service.environment): Executor => {
    const engine = dockerEngine(home, environment, systemClock)
    const found = openExecutors(launcher, capturing(launcher, commands), systemClock, engine).get('gha')
    if (found) return found
    throw new Error('there is no gha executor')
  }
  before(() => {
    launcher = openLauncher({
      folder: commands,
      environment: { PATH: service.environment.PATH ?? '' },
      starting: 16,
      clock: systemClock,
      native: nativeLauncher()
    })
  })
  after(() => launcher?.close())
  beforeEach(() => {
    executor = open()
  })
  afterEach(async () => {
    executor.close?.()
    expect(await left(), 'nothing is left').to.deep.equal([])
    expect(scratch()).to.deep.equal([])
  })
  const scratch = () =>
    existsSync(join(home, 'container-scratch')) ? readdirSync(join(home, 'container-scratch')) : []
  const left = () => service.labelled(`troupe.owner=${textOf(join(home, 'container-owner')) || 'none'}`)
  return {
    service,
    repositories,
    /** Of the launcher: what is captured, such as git, is on record there. */
    commands,
    bench: benchOf(() => executor),
    /** Another executor, beside that of the test. */
    open,
    /** Another executor takes the place of the one that was there. */
    take(another: Executor): void {
      executor = another
    },
    find: (execution: Execution) => executor.find(execution),
    scratch,
    /** Containers of this home. */
    left,
    executionOf: (reference: string, more: Partial<Execution> = {}): Partial<Execution> => ({
      words: [reference],
      ...more,
      config: { githubInstance: repositories.instance, runner: IMAGE, ...more.config }
    })
  }
}
