/** Creates the services of the invoked actors: their access to open runs and to the outside world. */
import { runId } from '../../../machines/engine.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { missingCode } from '../../executors/function/missing-code.ts'
import { nodesOf } from '../../store/history.ts'
import { fewEachRound } from '../pace/few-each-round.ts'
import type { ScopeMaker } from '../run/scope-maker.ts'
import { localRunner } from '../runner/local-runner.ts'
import type { Runner } from '../runner/runner.ts'
import { inheritedFrom, withInherited } from '../sub-runs/inherited.ts'
import { callerScope, type OpenRun } from './open-run.ts'
import type { Services } from './services.ts'
import type { SystemParts } from './system-parts.ts'

/** Executions that are searched for in one round of the event loop. */
const LOOKED_FOR = 50

interface Wiring extends Pick<Services, 'transactions' | 'diskSpace' | 'hasWorkers' | 'isClosing'> {
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  makeScope: ScopeMaker
  /** Does the work of runs that were placed on workers. */
  remote: Runner
}

export function openServices(parts: SystemParts, { runs, makeScope, remote, ...wired }: Wiring): Services {
  const { clock, executors, functions, store } = parts
  const never = new AbortController().signal
  const openRun = (key: RunKey): OpenRun => {
    const run = runs.get(runId(key))
    if (run) return run
    throw new Error(`${runId(key)} is not open`)
  }
  const services: Services = {
    ...parts,
    ...wired,
    mayLook: fewEachRound(clock, LOOKED_FOR),
    ...missingCode({ hasExecutor: (type) => executors.has(type), hasFunction: (name) => functions.has(name) }),
    executorFor({ executor: { type } }) {
      const executor = executors.get(type)
      if (!executor) throw new Error(`executor type "${type}" is not registered`)
      return executor
    },
    runnerOf: (key) => (runs.get(runId(key))?.record.placement ? remote : local),
    scope(key) {
      const { scope } = openRun(key)
      if (scope) return scope
      throw new Error(`${runId(key)} is not prepared`)
    },
    async openScope(key, signal) {
      const run = openRun(key)
      run.scope ??= await makeScope(run, { signal })
      return run.scope
    },
    starterOf(key) {
      const { record } = openRun(key)
      return (record.caller ? openRun(record.caller.root).record : record).starter
    },
    history(key) {
      const { plan, record } = openRun(key)
      const nodes = Array.from(nodesOf(store, key), ([place, { record }]) => [place, record] as const)
      return { plan, record, nodes: new Map(nodes) }
    },
    async environmentOf(key) {
      const { record } = openRun(key)
      const inherited = await inheritedFrom(services, callerScope(runs, record), record.caller, never)
      return { environment: withInherited(parts.environment, inherited), data: inherited.data }
    }
  }
  const local = localRunner(services, services.openScope)
  return services
}
