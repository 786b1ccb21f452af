/** One client that asks for the same things in the same order each time, and goes on where a death has cut it off. */
import { eventually } from '../support/waiting.ts'
import type { Account } from './check-home.ts'
import { type EngineProcess, openRunsOf, type Reply } from './engine-process.ts'
import type { Findings } from './suite.ts'
import { ENQUEUED, marksOf, STARTED } from './workload.ts'

export interface Script {
  readonly accounts: Account[]
  /** Texts that a definition may have. */
  readonly texts: string[]
  /** Definitions of which it is known whether they are to be there. */
  readonly wanted: ReadonlyMap<string, boolean>
  /** Goes on until all is asked for and done, or the engine is gone. */
  go(engine: EngineProcess): Promise<void>
  /** Open runs; undefined: the connection broke. */
  open(engine: EngineProcess): Promise<number | undefined>
}

/** A broken connection: whether it was done is unknown. */
type Answer = Reply | undefined

/** Longer than a page of the file system, so that half of it can be seen. */
const long = (word: string) => `# ${'x'.repeat(9_000)}\nsteps:\n  - echo ${word}\n`
const WAIT_MS = 15_000

/** Asked again after a refusal for want of storage. */
const AGAIN_MS = 100

/** @param patient a refusal with 503 is no answer yet: it is asked again */
export function openScript(home: string, findings: Findings, patient = false): Script {
  const accounts: Account[] = []
  const texts = [long('one'), long('two')]
  const wanted = new Map<string, boolean>()
  let done = 0

  const account = (dag: string, dagRunId: string, params = 'P=0'): Account => {
    const known = accounts.find((account) => account.dagRunId === dagRunId)
    if (known) return known
    const fresh: Account = { dag, dagRunId, params, answer: 'unknown' }
    accounts.push(fresh)
    return fresh
  }
  async function insist(engine: EngineProcess, method: string, path: string, body?: object): Promise<Reply> {
    for (const until = performance.now() + WAIT_MS; ; ) {
      const reply = await engine.call(method, path, body)
      if (!patient || reply.status < 500) return reply
      const { json, status } = reply
      findings.check(status === 503, 'P6', `${method} ${path} on a disk that refuses: ${status} ${reply.text}`)
      findings.check(typeof json?.code === 'string', 'P21', `${method} ${path}: no Error object: ${reply.text}`)
      if (performance.now() > until) return reply
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
  const begin =
    (verb: 'start' | 'enqueue', dag: string, dagRunId: string, params?: string) => async (engine: EngineProcess) => {
      const asked = account(dag, dagRunId, params)
      const reply = await insist(engine, 'POST', `/dags/${dag}/${verb}`, { dagRunId, params: asked.params })
      const isKnown = reply.status === 409 && asked.answer === 'unknown' // asked for before the death
      findings.check(
        reply.status === 200 || isKnown,
        'P1',
        `${verb} of ${dag}/${dagRunId}: ${reply.status} ${reply.text}`
      )
      if (reply.status === 200 || isKnown) asked.answer = 'accepted'
    }
  const post =
    (path: string, body?: object, method = 'POST') =>
    (engine: EngineProcess): Promise<Answer> =>
      insist(engine, method, path, body)
  /** A change of definitions: `after` says what holds when it is acknowledged; before that, nothing is known of these names. */
  const change =
    (request: (engine: EngineProcess) => Promise<Answer>, after: Record<string, boolean>) =>
    async (engine: EngineProcess) => {
      for (const name of Object.keys(after)) wanted.delete(name)
      const reply = await request(engine)
      const ok = reply !== undefined && reply.status < 300
      if (ok) for (const [name, is] of Object.entries(after)) wanted.set(name, is)
    }
  const marked = (dagRunId: string, step: string) => async (engine: EngineProcess) => {
    await eventually(
      `${step} of ${dagRunId}`,
      () => engine.gone || marksOf(home).some((mark) => mark.dagRunId === dagRunId && mark.step === step) || undefined,
      WAIT_MS
    ).catch(() => {}) // an attempt that was failed by its policy leaves no mark
  }
  const ended = (dag: string, dagRunId: string) => async (engine: EngineProcess) => {
    const { status } = await engine.call('GET', `/dag-runs/${dag}/${dagRunId}`)
    if (status === 404) throw new Error(`${dagRunId} is not there`)
    await eventually(
      `the end of ${dagRunId}`,
      async () => {
        const { json } = await engine.call('GET', `/dag-runs/${dag}/${dagRunId}`)
        return json?.dagRun?.finishedAt ? true : undefined
      },
      WAIT_MS
    )
  }
  const dequeue = async (engine: EngineProcess) => {
    const asked = account(ENQUEUED, 'q5')
    asked.dequeued = 'maybe'
    const reply = await insist(engine, 'POST', `/dag-runs/${ENQUEUED}/q5/dequeue`)
    if (reply.status === 200) asked.dequeued = 'yes'
  }

  const acts: ((engine: EngineProcess) => Promise<unknown>)[] = [
    change(post('/dags', { name: 'made', spec: texts[0] }), { made: true }),
    begin('start', 'mixed', 'm1'),
    begin('start', 'plain', 'p2', 'P=0.05'),
    begin('start', 'outer', 'o1', 'P=0.05'),
    change(post('/dags/made/spec', { spec: texts[1] }, 'PUT'), { made: true }),
    ...['q1', 'q2', 'q3', 'q4', 'q5'].map((id) => begin('enqueue', ENQUEUED, id, 'P=0.2')),
    dequeue,
    begin('start', 'plain', 'p1', 'P=9'),
    marked('p1', 'b'),
    post('/dag-runs/plain/p1/stop'),
    change(post('/dags/made/rename', { newFileName: 'renamed' }), { made: false, renamed: true }),
    ended('mixed', 'm1'),
    post('/dag-runs/mixed/m1/retry', { dagRunId: 'm1' }),
    change(post('/dags/renamed', undefined, 'DELETE'), { renamed: false }),
    ended('plain', 'p1'),
    ended('mixed', 'm1'),
    ended('plain', 'p2'),
    ended('outer', 'o1'),
    ...['q1', 'q2', 'q3', 'q4'].map((id) => ended(ENQUEUED, id))
  ]

  return {
    accounts,
    texts,
    wanted,
    async go(engine) {
      for (; done < acts.length; done++) {
        try {
          await acts[done]?.(engine)
        } catch (error) {
          await Promise.race([engine.ended, new Promise((resolve) => setTimeout(resolve, 500))])
          if (engine.gone) return
          findings.add('P8', `the engine lives, and yet: ${(error as Error).message}`)
          return
        }
      }
    },
    open: (engine) => openRunsOf(engine, [...STARTED, ENQUEUED])
  }
}
