/** The part of an engine that needs no actors and changes nothing. Source: architecture 6. */
import { withDoubts } from '../definitions/definition-doubts.ts'
import type { StoredDefinition } from '../definitions/stored-definition.ts'
import { TroupeError } from '../errors.ts'
import { endIdleThreads } from '../executors/frame/worker-thread.ts'
import { awaitedBy } from '../store/awaited.ts'
import { countsIn, statusesPart } from '../store/count-runs.ts'
import { countRuns, findRuns, findRunsPart, latestRun, latestRunning } from '../store/find-runs.ts'
import { attemptOf, feedOf, journalOf, latestSeq, shownSubRunOf, subRunsOf } from '../store/history.ts'
import { lastIn } from '../store/open.ts'
import { decisionsOf } from '../store/scheduling.ts'
import { versionsOf } from '../store/tables/versions.ts'
import { VERSION } from '../version.ts'
import type { Engine } from './engine.ts'
import { engineFacts } from './engine-facts.ts'
import type { EngineParts } from './engine-parts.ts'
import { readKeys } from './keys/key-ring.ts'
import { deliveriesPart, targetViews } from './views/delivery-view.ts'
import { queuesInParts, queuesOf } from './views/queue-view.ts'
import { recordOf, viewOfRun, workflowOf } from './views/run-view.ts'
import { everyWait, waitingPart } from './views/waiting-view.ts'

/** An engine that refuses every change: the home may belong to another engine. */
export function readingEngine(parts: EngineParts): Engine {
  const { config, clock, store, definitions, flags, holdQueues } = parts
  const closing = new AbortController()
  const startedAt = clock.now()
  const withFlags = flagged()
  const noWorkers = (): never => {
    throw new TroupeError(
      'service_unavailable',
      'workers are known to the engine that runs on this home, and there is none that can be asked'
    )
  }
  const noDeliveries = (): never => {
    throw new TroupeError(
      'service_unavailable',
      'dead letters belong to the engine that runs on this home, and there is none that can be asked'
    )
  }
  const readOnly = (): never => {
    throw new TroupeError('service_unavailable', 'this engine was opened to read only')
  }
  const facts = engineFacts(parts, false)
  return {
    config,
    home: config.home,
    closing: closing.signal,
    now: () => clock.now(),
    holdsQueues: holdQueues,
    keys: readKeys(store, clock, readOnly),
    resumed: Promise.resolve(),
    facts,
    inspect: facts.run,
    start: async () => readOnly(),
    enqueue: async () => readOnly(),
    dequeue: async () => readOnly(),
    retry: async () => readOnly(),
    reschedule: async () => readOnly(),
    setNodeStatus: async () => readOnly(),
    renameDefinition: async () => readOnly(),
    stop: async () => readOnly(),
    signal: async () => readOnly(),
    waiting: (filter) => everyWait(store, filter),
    waitingPart: (filter, limit, after) => waitingPart(store, filter, limit, after),
    awaitedBy: (run) => awaitedBy(store, run),
    result: async () => readOnly(),
    subscribe: () => readOnly(),
    run(key) {
      const record = recordOf(store, key)
      return record && viewOfRun(store, record)
    },
    earlierNode: (key, attempt, step) =>
      [...(attemptOf(store, key, attempt)?.nodes.values() ?? [])].find((node) => node.step === step),
    subRun(root, subRunId) {
      const key = shownSubRunOf(store, root, subRunId)
      const record = key && recordOf(store, key)
      return record && viewOfRun(store, record)
    },
    subRuns: (root) =>
      subRunsOf(store, root)
        .flatMap((key) => recordOf(store, key) ?? [])
        .sort((a, b) => a.createdAt - b.createdAt),
    record: (key) => recordOf(store, key),
    runs: (filter) => findRuns(store, filter),
    runsPart: (filter, after, isEnough) => findRunsPart(store, filter, after, isEnough),
    latest: (name) => latestRunning(store, name) ?? latestRun(store, name),
    queues: () => queuesOf(store, config.queues, clock.now()),
    readQueues: () => queuesInParts(store, config.queues, clock),
    countsIn: (from, to) => countsIn(store, from, to),
    statusesPart: (filter, before, most) => statusesPart(store, filter, before, most),
    count: (status) => countRuns(store, status),
    runSpec(key) {
      const record = recordOf(store, key)
      return record && workflowOf(store, record, 'has no text that could be shown').spec
    },
    journal: (key, after, limit) => journalOf(store, key, after, limit),
    latestSeq: (key) => latestSeq(store, key),
    feed: (after, limit) => feedOf(store, after, limit),
    fed: () => lastIn(store.feed),
    definitions: () => withFlags(definitions.list(), flags.all()),
    definitionsReady: (fileName) => definitions.ready(fileName),
    definition: (fileName) => ({ ...definitions.get(fileName), suspended: flags.all().has(fileName) }),
    decisions: (limit = 100) => decisionsOf(store, limit),
    spec: (fileName) => definitions.get(fileName).spec,
    versions: (fileName) => versionsOf(store, fileName),
    createDefinition: async () => readOnly(),
    replaceDefinition: async () => readOnly(),
    removeDefinition: () => readOnly(),
    suspendDefinition: () => readOnly(),
    validate: async (spec, name, { files: looks = true, by } = {}) => {
      const checked = await definitions.check(spec, { fallbackName: name || 'validated-dag' }, { looks, by })
      return withDoubts(checked, config.environment, { looks })
    },
    health: async () => {
      const now = clock.now()
      return { healthy: true, version: VERSION, startedAt, now, scheduling: false }
    },
    async workers() {
      if (store.meta.get('version') !== undefined) return noWorkers()
      const { unjoinedWorkers } = await import('./workers/enrolled-views.ts')
      return unjoinedWorkers(config.coordination.enrolmentFile)
    },
    drainWorker: async () => noWorkers(),
    bus: async () => undefined,
    deliveries: (filter, limit, after) => deliveriesPart(store, filter, limit, after),
    targets: () => targetViews(store, config.notify),
    retryDeliveries: async () => noDeliveries(),
    removeDeliveries: async () => noDeliveries(),
    resources: () => [],
    async close() {
      closing.abort()
      definitions.close()
      endIdleThreads()
      await store.root.close()
    }
  }
}

/** Definitions with their flags; the same list as long as neither has changed. */
function flagged() {
  let known: { all: readonly StoredDefinition[]; suspended: ReadonlySet<string>; list: readonly StoredDefinition[] }
  known = { all: [], suspended: new Set(), list: [] }
  return (all: readonly StoredDefinition[], suspended: ReadonlySet<string>) => {
    if (suspended.size === 0) return all
    if (known.all !== all || known.suspended !== suspended) {
      const list = all.map((stored) => (suspended.has(stored.fileName) ? { ...stored, suspended: true } : stored))
      known = { all, suspended, list }
    }
    return known.list
  }
}
