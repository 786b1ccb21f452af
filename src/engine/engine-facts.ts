/** Gives inspection access to the parts of an engine. Source: architecture 9. */
import { statSync } from 'node:fs'
import type { RunKey } from '../../machines/vocabulary.ts'
import { nodeFiles } from '../actors/run/log-names.ts'
import { readRecord, stateFiles } from '../executors/processes/state-file.ts'
import type { WorkerSeen } from '../inspect/explain/situation.ts'
import type { Facts } from '../inspect/inspection.ts'
import { inspectionOf } from '../inspect/run-inspection.ts'
import type { EngineParts } from './engine-parts.ts'
import { queuesOf } from './views/queue-view.ts'
import { planOfRun, recordOf } from './views/run-view.ts'

/**
 * @param owns whether the engine in this process owns the home
 * @param live what only that engine knows: its workers, undefined if it has none at the moment, and which runs are held back
 */
export function engineFacts(
  parts: EngineParts,
  owns: boolean,
  live: {
    workers?: () => readonly WorkerSeen[] | undefined
    heldBackWith?: (key: RunKey) => RunKey | undefined
  } = {}
): Facts {
  const { config, clock, store, definitions, flags, holdQueues, schedules } = parts
  return inspectionOf({
    store,
    now: () => clock.now(),
    record: (key) => recordOf(store, key),
    plan: (record) => planOfRun(store, record),
    queues: () => queuesOf(store, config.queues, clock.now()),
    ...live,
    definition(fileName) {
      const { definition } = definitions.get(fileName)
      const { name, plan, problems } = definition
      return {
        fileName,
        name: name || fileName,
        ...(plan ? { plan } : {}),
        problems: problems.map(({ message }) => message),
        suspended: flags.all().has(fileName)
      }
    },
    begunAt({ nodeLogs }, step, attempt) {
      const path = stateFiles(nodeFiles(nodeLogs, step).state(attempt)).latest
      const { found, identity } = readRecord(path)
      if (found.state === 'alive') return found.beganAt
      if (found.state === 'ended') return found.end.at
      // The engine that started it is gone, but a container, or anything else that is not a process, may still run.
      const file = identity && statSync(path, { throwIfNoEntry: false })
      return file && Math.round(file.birthtimeMs)
    },
    get zone() {
      return config.tz
    },
    maxProcesses: config.maxProcesses,
    engine: { owns, holdsQueues: owns && holdQueues, schedules }
  })
}
