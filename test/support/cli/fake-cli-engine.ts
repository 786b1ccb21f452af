/** An engine whose runs do what a test says, the environment of a command around it, and what the command wrote. */
import { basename } from 'node:path'
import type { NodeRecord, RunKey, RunStatus } from '../../../machines/vocabulary.ts'
import type { CliContext, Output } from '../../../src/cli/context.ts'
import type { Clock } from '../../../src/clock.ts'
import { explainConfig, readConfig } from '../../../src/config.ts'
import type { Engine, EngineEvent, QueueView, RetryRequest, RunView, StartRequest } from '../../../src/engine/engine.ts'
import { TroupeError } from '../../../src/errors.ts'
import { type FakeEngine, fakeEngine, nodeOf, planOf, stepOf } from '../engine/fake-engine.ts'

export interface FakeCliEngine extends FakeEngine {
  /** What runs do, by the base name of their file; others wait until they are ended. */
  readonly acts: Map<string, (key: RunKey) => void>
  readonly stopped: RunKey[]
  /** Requests by what they asked for, other than starts. */
  readonly asked: { enqueue: StartRequest[]; retry: [RunKey, RetryRequest][] }
  /** Starts wait in the queue. */
  isFull: boolean
  isClosed: boolean
  /** Tells of a transition. */
  emit(key: RunKey, event: Partial<EngineEvent>): void
  /** Ends a run. */
  end(key: RunKey, status: RunStatus): void
  /** Resolves when a run of this name has been started. */
  begun(name: string): Promise<RunKey>
}

/** Those of one answer. */
const MOST_EVENTS = 2

/** @param home existing folder */
export function fakeCliEngine(home: string): FakeCliEngine {
  const base = fakeEngine({ ...readConfig({ home, tz: 'UTC' }, {}) })
  const listeners = new Set<{ listen(event: EngineEvent): void; run?: RunKey }>()
  const endings = new Map<string, (view: RunView) => void>()
  const results = new Map<string, Promise<RunView>>()
  const beginnings = new Map<string, { promise: Promise<RunKey>; resolve: (key: RunKey) => void }>()
  const journal: EngineEvent[] = []
  let seq = 0
  const id = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`
  const beginningOf = (name: string) => {
    let resolve: (key: RunKey) => void = () => {}
    const known = beginnings.get(name) ?? {
      promise: new Promise<RunKey>((found) => {
        resolve = found
      }),
      resolve: (key: RunKey) => resolve(key)
    }
    beginnings.set(name, known)
    return known
  }
  function letGo(key: RunKey, fileName: string): RunKey {
    results.set(id(key), new Promise((resolve) => endings.set(id(key), resolve)))
    engine.emit(key, { actor: `run/${id(key)}`, event: 'xstate.init', to: 'working', status: 'running' })
    engine.acts.get(fileName)?.(key)
    beginningOf(key.name).resolve(key)
    return key
  }
  let order = 0
  function wait(key: RunKey, queue?: string): RunKey {
    base.addRun({
      ...key,
      status: 'queued',
      createdAt: 1_000,
      queuedAt: 1_000,
      order: ++order,
      ...(queue ? { queue } : {})
    })
    return key
  }
  const engine: FakeCliEngine = {
    ...base,
    acts: new Map(),
    stopped: [],
    asked: { enqueue: [], retry: [] },
    isFull: false,
    isClosed: false,
    begun: (name) => beginningOf(name).promise,
    facts: {
      ...base.facts,
      events(run, { after = 0, limit = 1_000 } = {}) {
        const later = journal.filter((event) => event.run && id(event.run) === id(run) && event.seq > after)
        const part = later.slice(0, Math.min(limit, MOST_EVENTS))
        const last = part.at(-1)?.seq ?? after
        const events = part.map((record) => ({ record: { ...record, run } }))
        return { run, events, latest: seq, ...(later.length > part.length ? { next: last } : {}) }
      }
    },
    journal: (run, after, limit) =>
      journal.filter((event) => event.run && id(event.run) === id(run) && event.seq > after).slice(0, limit),
    latestSeq: (run) => journal.findLast((event) => event.run && id(event.run) === id(run))?.seq ?? 0,
    async start(request) {
      if (engine.failure) throw engine.failure
      base.started.push(request)
      const fileName = basename(request.file ?? request.fromRun?.name ?? '', '.yaml')
      const key = { name: request.dagName ?? fileName, dagRunId: request.dagRunId ?? `run-${results.size + 1}` }
      if (engine.isFull) return wait(key)
      const plan = planOf(key.name, { steps: [stepOf('first'), stepOf('second')] })
      const nodes = plan.steps.map((step) => ({
        step,
        node: nodeOf(step.name, { status: 'not_started', doneCount: 0 })
      }))
      base.addRun({ ...key, status: 'running', createdAt: 1_000, startedAt: 1_000 }, { plan, nodes })
      return letGo(key, fileName)
    },
    async retry(key, options = {}) {
      if (engine.failure) throw engine.failure
      engine.asked.retry.push([key, options])
      const { run } = engine.run(key) ?? {}
      if (!run) throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
      const { finishedAt: _, ...lasting } = run
      Object.assign(run, lasting, { status: 'running', attempt: run.attempt + 1 })
      return letGo(key, key.name)
    },
    async enqueue(request) {
      if (engine.failure) throw engine.failure
      engine.asked.enqueue.push(request)
      const name = request.dagName ?? basename(request.file ?? '', '.yaml')
      return wait({ name, dagRunId: request.dagRunId ?? `queued-${engine.asked.enqueue.length}` }, request.queue)
    },
    async dequeue(key) {
      const { run } = engine.run(key) ?? {}
      if (run?.status !== 'queued')
        throw new TroupeError('not_found', `run ${key.dagRunId} of ${key.name} is not queued`)
      run.status = 'not_started'
    },
    queues() {
      const views = new Map<string, QueueView>()
      for (const run of engine.runs({ status: ['running', 'queued'] }).toReversed()) {
        const name = run.queue ?? run.name
        const view = views.get(name) ?? { name, running: [], queued: [], capacity: 1 }
        views.set(name, view)
        view[run.status === 'queued' ? 'queued' : 'running'].push(run)
      }
      for (const { queued } of views.values()) queued.sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
      return [...views.values()]
    },
    readQueues: async () => engine.queues(),
    async stop(key) {
      if (engine.record(key)?.status !== 'running')
        throw new TroupeError('not_running', `run ${key.dagRunId} is not running`)
      engine.stopped.push(key)
      engine.end(key, 'canceled')
    },
    async result(key) {
      const view = engine.run(key)
      if (!view) throw new TroupeError('not_found', `no run ${key.dagRunId}`)
      return results.get(id(key)) ?? view
    },
    subscribe(listen, run) {
      const listener = { listen, ...(run ? { run } : {}) }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(run, event) {
      const whole = { run, seq: ++seq, at: 1_000, actor: '', event: '', from: '', to: '', ...event }
      journal.push(whole)
      for (const { listen, run: only } of listeners) if (!only || id(only) === id(run)) listen(whole)
    },
    end(key, status) {
      const view = engine.run(key)
      if (!view) throw new Error(`no run ${id(key)}`)
      Object.assign(view.run, { status, finishedAt: 2_500 })
      engine.emit(key, { actor: `run/${id(key)}`, at: 2_500, from: 'working', to: status, status })
      endings.get(id(key))?.(view)
    },
    async close() {
      engine.isClosed = true
    }
  }
  return engine
}

/** Changes a node of a run and emits the event. */
export function nodeChanges(
  engine: FakeCliEngine,
  key: RunKey,
  step: string,
  change: Partial<NodeRecord>,
  at = 1_000
): void {
  const view = engine.run(key)?.nodes.find(({ node }) => node.step === step)
  if (!view) throw new Error(`no step ${step}`)
  Object.assign(view.node, change)
  const { status } = view.node
  engine.emit(key, { actor: `run/${key.name}/${key.dagRunId}/node/${step}`, at, step, status, to: status })
}

export interface Stage extends CliContext {
  written: { out: string; err: string }
  /** Sends a signal. */
  interrupt(): void
  readonly clock: HandClock
}

/** @param size of the terminal; absent: the output is no terminal */
export function stage(home: string, engine: Engine, size?: { columns: number; rows: number }): Stage {
  const written = { out: '', err: '' }
  const signals = new Set<() => void>()
  const output = (stream: 'out' | 'err'): Output => ({
    write(text) {
      written[stream] += text
    },
    ...(size ? { isTTY: true, ...size } : {})
  })
  return {
    written,
    out: output('out'),
    verbatim: output('out'),
    err: output('err'),
    cwd: home,
    clock: handClock(),
    configure: (settings) => readConfig({ home, tz: 'UTC', ...settings }, {}),
    explain: (settings) => explainConfig({ home, tz: 'UTC', ...settings }, {}),
    createEngine: async ({ holdQueues = false }) => ({ ...engine, holdsQueues: holdQueues }),
    serve: async () => ({ address: 'http://127.0.0.1:1', close: async () => {} }),
    otherServers: async () => [],
    onSignal(listen) {
      signals.add(listen)
      return () => void signals.delete(listen)
    },
    onNotice: () => () => {},
    closeDebugger: async () => false,
    serving: async () => {},
    resting: async () => {},
    onExit: () => () => {},
    interrupt() {
      for (const listen of signals) listen()
    }
  }
}

export interface HandClock extends Clock {
  /** Moves the time, ringing what is due on the way. */
  pass(ms: number): void
}

/** A clock that stands still until it is moved. It starts at 1 s after the epoch. */
export function handClock(): HandClock {
  let now = 1_000
  let due: { at: number; ring: () => void }[] = []
  const add = (at: number, ring: () => void) => {
    const alarm = { at, ring }
    due.push(alarm)
    return () => {
      due = due.filter((other) => other !== alarm)
    }
  }
  return {
    now: () => now,
    elapsed: () => now,
    at: add,
    after: (ms, ring) => add(now + ms, ring),
    soon: (next) => void setImmediate(next),
    random: (count) => new Uint8Array(count),
    pass(ms) {
      const until = now + ms
      for (;;) {
        const next = due.toSorted((a, b) => a.at - b.at)[0]
        if (!next || next.at > until) break
        due = due.filter((alarm) => alarm !== next)
        now = Math.max(now, next.at)
        next.ring()
      }
      now = until
    }
  }
}

/** Resolves after everything that is ready has been done, input and output of sockets included. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}
