/** An Engine without actors, store or processes: definitions and runs are what a test puts in. For tests of the API only. */
import type { NodeRecord, Plan, RunKey, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import type { Definition } from '../../../src/definition/definition.ts'
import type { StoredDefinition } from '../../../src/definitions/stored-definition.ts'
import type { Engine, Health, ResourceSample, RunCounts, RunView, StartRequest } from '../../../src/engine/engine.ts'
import { TroupeError } from '../../../src/errors.ts'
import { fits, matches } from '../../../src/store/find-runs.ts'
import { plan, step } from '../charts/plans.ts'
import { noDeliveries, noFacts, noKeys, noWorkers } from './fake-lacks.ts'

export interface FakeEngine extends Engine {
  /** Every request for a start that got through to the engine. */
  readonly started: StartRequest[]
  /** The ids of their API requests. */
  readonly requestIds: (string | undefined)[]
  readonly texts: Map<string, string>
  /** Set to make every call fail. */
  failure?: Error
  healthNow: Health
  /** File names. */
  readonly suspended: Set<string>
  readonly samples: ResourceSample[]
  /** Adds a run, succeeded unless said otherwise. */
  addRun(run: Partial<RunRecord> & RunKey, view?: Partial<RunView>): RunView
}

/** A step without a command. */
export const stepOf = (name: string, wish: Partial<Step> = {}): Step => {
  const { command: _, ...bare } = step(name)
  return { ...bare, ...wish }
}

export const planOf = (name: string, wish: Partial<Plan> = {}): Plan =>
  plan([], { name, type: 'chain', cleanUpMs: 60_000, ...wish })

export const nodeOf = (step: string, node: Partial<NodeRecord> = {}): NodeRecord => ({
  step,
  status: 'succeeded',
  retryCount: 0,
  doneCount: 1,
  ...node
})

/** @param plans definitions by file name, beside those that are read from texts */
export function fakeEngine(settings: Partial<Config> = {}, plans: Record<string, Plan> = {}): FakeEngine {
  const config = { ...readConfig({ home: '/nowhere', tz: 'UTC' }, {}), ...settings }
  const texts = new Map<string, string>(Object.keys(plans).map((fileName) => [fileName, '# made from a plan\n']))
  const views: RunView[] = []
  const alive = () => {
    if (engine.failure) throw engine.failure
  }
  const stored = (fileName: string): StoredDefinition => {
    alive()
    const text = texts.get(fileName)
    if (text === undefined) throw new TroupeError('not_found', `no definition ${fileName}`)
    const plan = plans[fileName]
    const definition = plan ? madeOf(plan) : readSimply(text, fileName)
    return { fileName, spec: text, definition, suspended: engine.suspended.has(fileName) }
  }
  const find = ({ name, dagRunId }: RunKey) => {
    alive()
    const own = views.filter(({ run }) => run.name === name)
    return dagRunId === 'latest' ? own.toSorted(newestFirst)[0] : own.find(({ run }) => run.dagRunId === dagRunId)
  }
  const known = (key: RunKey) => {
    const view = find(key)
    if (view) return view
    throw new TroupeError('not_found', `no run ${key.dagRunId} of ${key.name}`)
  }
  function note({ requestId, ...request }: StartRequest): void {
    engine.started.push(request)
    engine.requestIds.push(requestId)
  }
  const lookedUp = {
    tagsOf: ({ name }: RunKey) => planOf(name).tags,
    awaitedBy: (run: RunKey) => find(run)?.awaited
  }
  const engine: FakeEngine = {
    config,
    home: config.home,
    closing: new AbortController().signal,
    now: () => engine.healthNow.now,
    holdsQueues: false,
    ...noDeliveries,
    ...noWorkers,
    keys: noKeys,
    resumed: Promise.resolve(),
    facts: noFacts,
    inspect: noFacts.run,
    started: [],
    requestIds: [],
    suspended: new Set(),
    samples: [],
    texts,
    healthNow: { healthy: true, version: '1.2.3', startedAt: 1_000, now: 9_500, scheduling: true },
    addRun(run, view = {}) {
      const plan = view.plan ?? planOf(run.name)
      const record: RunRecord = {
        status: 'succeeded',
        attempt: 1,
        createdAt: 0,
        params: [],
        log: '/nowhere/run.log',
        nodeLogs: '/nowhere/1',
        plan: '',
        ...run
      }
      const nodes = plan.steps.map((step) => ({ step, node: nodeOf(step.name) }))
      const added = { run: record, plan, nodes, handlers: {}, preconditions: [], ...view }
      views.push(added)
      return added
    },
    async enqueue(request) {
      alive()
      note(request)
      return { name: request.dagName ?? request.fileName ?? request.name ?? '', dagRunId: request.dagRunId ?? 'q' }
    },
    async dequeue(key) {
      if (known(key).run.status !== 'queued') throw new TroupeError('not_found', 'not queued')
    },
    decisions: () => [],
    queues: () => [],
    async signal({ name, dagRunId, step }) {
      if (!known({ name, dagRunId }).nodes.some(({ node }) => node.step === step))
        throw new TroupeError('not_found', `no step ${step}`)
    },
    waiting: () => [],
    waitingPart: () => ({ waiting: [] }),
    awaitedBy: lookedUp.awaitedBy,
    readQueues: async () => [],
    async retry(key, { dagRunId = key.dagRunId } = {}) {
      const { run } = known(key)
      if (run.status === 'running') throw new TroupeError('already_running', `${key.name} is running`)
      return { name: key.name, dagRunId }
    },
    async reschedule(key, { dagRunId = `run-${views.length}`, dagName = key.name } = {}) {
      const { run, plan } = known(key)
      const fresh = { name: dagName, dagRunId }
      engine.addRun(
        { ...fresh, status: 'running', params: run.params, createdAt: views.length, startedAt: 0 },
        { plan }
      )
      return fresh
    },
    async setNodeStatus({ root, step }, status) {
      const node = known(root).nodes.find(({ node }) => node.step === step)?.node
      if (!node) throw new TroupeError('not_found', `no step ${step}`)
      node.status = status
    },
    count: (status) => views.filter(({ run }) => run.status === status && !run.caller).length,
    runSpec: (key) => (find(key) ? '# spec\n' : undefined),
    journal: () => [],
    latestSeq: () => 0,
    feed: (after) => ({ records: [], end: after, missed: 0 }),
    fed: () => 0,
    earlierNode: () => undefined,
    subRun: (root, subRunId) =>
      views.find(({ run }) => run.dagRunId === subRunId && run.caller?.root.dagRunId === root.dagRunId),
    subRuns: (root) => views.flatMap(({ run }) => (run.caller?.root.dagRunId === root.dagRunId ? [run] : [])),
    async start(request) {
      alive()
      note(request)
      const { fileName, spec, dagName, name, dagRunId = `run-${views.length}`, singleton } = request
      const definition = fileName === undefined ? readSimply(spec ?? '', name ?? '') : stored(fileName).definition
      const { problems } = definition
      if (problems.length > 0) {
        const errors = problems.map(({ message }) => message)
        throw new TroupeError('bad_request', errors.join('; '), { details: { errors } })
      }
      const key = { name: dagName ?? definition.name, dagRunId }
      if (key.name === '') throw new TroupeError('bad_request', 'the spec has no name and none was given')
      if (find(key)) throw new TroupeError('already_exists', `run ${dagRunId} of ${key.name} exists`)
      if (singleton && views.some(({ run }) => run.name === key.name && run.status === 'running')) {
        throw new TroupeError(fileName === undefined ? 'max_run_reached' : 'already_running', `${key.name} is running`)
      }
      engine.addRun({ ...key, status: 'running', createdAt: views.length, startedAt: 0 }, { plan: planOf(key.name) })
      return key
    },
    async stop(key) {
      const { run } = known(key)
      if (run.status !== 'running') throw new TroupeError('not_running', `run ${run.dagRunId} is not running`)
      run.status = 'canceled'
    },
    result: async (key) => known(key),
    run: find,
    record: (key) => find(key)?.run,
    runsPart(filter, after, isEnough) {
      const all = engine.runs(filter)
      const from = after
        ? all.findIndex(({ name, dagRunId }) => name === after.name && dagRunId === after.dagRunId) + 1
        : 0
      const runs: RunRecord[] = []
      for (const run of all.slice(from)) {
        runs.push(run)
        if (isEnough(runs.length)) return { runs, next: run }
      }
      return { runs }
    },
    versions: () => [],
    countsIn(from, to) {
      const counts: RunCounts = {}
      for (const { status } of engine.runs({ from, to })) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    statusesPart(filter, before, most) {
      const all = engine.runs(filter)
      const from = before ? all.findIndex(({ dagRunId }) => dagRunId === before.dagRunId) + 1 : 0
      return all.slice(from, from + most)
    },
    runs(filter = {}) {
      alive()
      return views
        .map(({ run }) => run)
        .filter((run) => matches(run, filter) && fits(run, filter, lookedUp))
        .toSorted((a, b) => newestFirst({ run: a }, { run: b }))
        .slice(0, filter.limit ?? Number.POSITIVE_INFINITY)
    },
    latest(name) {
      const own = views.filter(({ run }) => run.name === name).toSorted(newestFirst)
      return (own.find(({ run }) => run.status === 'running') ?? own[0])?.run
    },
    definitions: () => [...texts.keys()].toSorted().map(stored),
    definitionsReady: async () => {},
    definition: stored,
    spec(fileName) {
      stored(fileName)
      return texts.get(fileName) ?? ''
    },
    async createDefinition(name, spec = 'steps:\n  - echo hello\n') {
      alive()
      const errors = readSimply(spec, name).problems.map(({ message }) => message)
      if (errors.length > 0) throw new TroupeError('bad_request', errors.join('; '), { details: { errors } })
      if (texts.has(name)) throw new TroupeError('already_exists', `there is a definition ${name}`)
      texts.set(name, spec)
    },
    async replaceDefinition(fileName, spec) {
      stored(fileName)
      const errors = readSimply(spec, fileName).problems.map(({ message }) => message)
      if (errors.length === 0) texts.set(fileName, spec)
      return errors
    },
    removeDefinition(fileName) {
      stored(fileName)
      texts.delete(fileName)
      engine.suspended.delete(fileName)
    },
    async renameDefinition(fileName, newFileName) {
      const text = engine.spec(fileName)
      if (texts.has(newFileName)) throw new TroupeError('already_exists', `there is a definition ${newFileName}`)
      texts.set(newFileName, text)
      texts.delete(fileName)
    },
    suspendDefinition(fileName, suspended) {
      stored(fileName)
      if (suspended) engine.suspended.add(fileName)
      else engine.suspended.delete(fileName)
    },
    async validate(spec, name = '') {
      alive()
      return readSimply(spec, name)
    },
    subscribe: () => () => undefined,
    resources: () => engine.samples,
    async health() {
      alive()
      return engine.healthNow
    },
    close: async () => undefined
  }
  return engine
}

const newestFirst = (a: Pick<RunView, 'run'>, b: Pick<RunView, 'run'>) =>
  b.run.createdAt - a.run.createdAt || (a.run.dagRunId < b.run.dagRunId ? -1 : 1)

const madeOf = (plan: Plan): Definition => ({ name: plan.name, plan, problems: [], warnings: [], outline: plan })

/** Knows `name:` and `tags:` lines and plain steps. A tab makes a text unreadable, `depends: nobody` is a problem. */
function readSimply(text: string, fallback: string): Definition {
  const name = /^name: (\S+)$/m.exec(text)?.[1] ?? fallback
  const tags = (/^tags: (.+)$/m.exec(text)?.[1] ?? '').split(', ').filter((tag) => tag !== '')
  const commands = [...text.matchAll(/^ {2}- (.+)$/gm)].map(([, command = '']) => command)
  const steps = commands.map((command, at) => stepOf(`cmd_${at + 1}`, { command }))
  const plan = planOf(name, { tags, steps })
  if (text.includes('\t')) {
    const problems = [{ message: 'line 1: found a tab', path: '' }]
    return { name: fallback, problems, warnings: [], outline: planOf(fallback) }
  }
  if (text.includes('depends: nobody')) {
    return { name, problems: [{ message: 'no step nobody', path: 'steps[0]' }], warnings: [], outline: plan }
  }
  return { name, plan, problems: [], warnings: text.includes('run: kid') ? ['run is deprecated'] : [], outline: plan }
}
