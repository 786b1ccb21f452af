/** A client that asks an engine for all sorts of things at once, and remembers what it was answered. */
import type { Random } from '../support/random.ts'
import type { Account } from './check-home.ts'
import type { EngineProcess, Reply } from './engine-process.ts'
import type { Findings } from './suite.ts'
import { ENQUEUED, STARTED } from './workload.ts'

/** Beyond so many open runs it waits. */
const OPEN = 40
const PAUSE_MS = 10
const WAITS = ['0', '0', '0', '0.05', '0.2', '0.6']
/** A run with one of these labels has ended. */
const ENDED = new Set(['failed', 'canceled', 'succeeded', 'partially_succeeded'])

export interface Loader {
  readonly accounts: Account[]
  /** Requests so far. */
  readonly asked: number
  /** Asks until the engine is gone, or `enough` accounts are there. */
  load(engine: EngineProcess, enough?: number): Promise<void>
  /** Asks once, and forgets the answer. @returns undefined: the connection broke */
  open(engine: EngineProcess): Promise<number | undefined>
}

export function openLoader(random: Random, findings: Findings): Loader {
  const accounts: Account[] = []
  /** Statuses that a client has seen runs end with. */
  const seen = new Map<string, string>()
  /** They may run again. */
  const retried = new Set<string>()
  /** Asked for and not answered: a second post of one could be the first to arrive. */
  const asking = new Set<string>()
  let asked = 0
  let count = 0

  const ask = async (
    engine: EngineProcess,
    method: string,
    path: string,
    body?: object
  ): Promise<Reply | undefined> => {
    asked++
    try {
      return await engine.call(method, path, body)
    } catch {
      return undefined
    }
  }
  const answerOf = (reply: Reply | undefined): Account['answer'] =>
    reply === undefined ? 'unknown' : reply.status === 200 ? 'accepted' : 'refused'
  const answered = ({ status, text }: Reply, what: string) =>
    findings.check(status < 500 || status === 503, 'P21', `${what} was answered with ${status}: ${text.slice(0, 200)}`)

  async function begin(engine: EngineProcess, dag: string, verb: 'start' | 'enqueue'): Promise<void> {
    const account: Account = { dag, dagRunId: `r${++count}`, params: `P=${random.pick(WAITS)}`, answer: 'unknown' }
    accounts.push(account)
    const { dagRunId, params } = account
    // Now and then it is sent twice at once: one of them is the first.
    const times = random.chance(0.1) ? 2 : 1
    const sent = Array.from({ length: times }, () => ask(engine, 'POST', `/dags/${dag}/${verb}`, { dagRunId, params }))
    asking.add(dagRunId)
    const replies = await Promise.all(sent)
    asking.delete(dagRunId)
    const answers = replies.map(answerOf)
    account.answer = (['accepted', 'unknown'] as const).find((answer) => answers.includes(answer)) ?? 'refused'
    for (const reply of replies) if (reply) answered(reply, `${verb} of ${dag}`)
    if (replies.includes(undefined)) return
    const codes = replies.map((reply) => reply?.status).sort()
    const wanted = times === 1 ? '200' : '200,409'
    findings.check(
      String(codes) === wanted,
      'P2',
      `${times} posts of the new run ${dagRunId} were answered with ${codes}`
    )
  }

  async function again(engine: EngineProcess): Promise<void> {
    const { dag, dagRunId, params, answer, dequeued } = random.pick(accounts)
    if (dequeued || dag === ENQUEUED || asking.has(dagRunId)) return
    const before = answer === 'accepted'
    const reply = await ask(engine, 'POST', `/dags/${dag}/start`, { dagRunId, params })
    if (reply && before)
      findings.check(reply.status === 409, 'P2', `a second start of run ${dagRunId} was answered with ${reply.status}`)
  }

  async function retry(engine: EngineProcess): Promise<void> {
    const { dag, dagRunId, answer } = random.pick(accounts)
    if (answer !== 'accepted' || dag === ENQUEUED || !seen.has(dagRunId)) return
    retried.add(dagRunId)
    const reply = await ask(engine, 'POST', `/dag-runs/${dag}/${dagRunId}/retry`, { dagRunId })
    if (reply) answered(reply, 'a retry')
  }

  async function stop(engine: EngineProcess): Promise<void> {
    const { dag, dagRunId } = random.pick(accounts)
    const reply = await ask(engine, 'POST', `/dag-runs/${dag}/${dagRunId}/stop`)
    if (reply) answered(reply, 'a stop')
  }

  async function dequeue(engine: EngineProcess): Promise<void> {
    const waiting = accounts.filter(
      ({ dag, answer, dequeued }) => dag === ENQUEUED && answer === 'accepted' && !dequeued
    )
    const account = waiting.at(-1)
    if (!account) return
    const reply = await ask(engine, 'POST', `/dag-runs/${account.dag}/${account.dagRunId}/dequeue`)
    if (reply === undefined) account.dequeued = 'maybe'
    else if (reply.status === 200) account.dequeued = 'yes'
    else answered(reply, 'a dequeue')
  }

  /** Source: P3: what was seen to have ended has ended for good. */
  async function look(engine: EngineProcess): Promise<number | undefined> {
    let open = 0
    for (const dag of [...STARTED, ENQUEUED]) {
      const reply = await ask(engine, 'GET', `/dag-runs/${dag}`)
      if (!reply) return undefined
      findings.check(reply.status === 200, 'P3', `a list of runs was answered with ${reply.status}`)
      for (const { dagRunId, statusLabel } of reply.json?.dagRuns ?? []) {
        const earlier = seen.get(dagRunId)
        if (earlier !== undefined && !retried.has(dagRunId))
          findings.check(earlier === statusLabel, 'P3', `run ${dagRunId} was ${earlier}, and is ${statusLabel} now`)
        if (ENDED.has(statusLabel)) seen.set(dagRunId, statusLabel)
        else open++
      }
    }
    return open
  }

  const starts = async (engine: EngineProcess) => {
    const chance = random.below(100)
    if (accounts.length < 5 || chance < 65) await begin(engine, random.pick(STARTED), 'start')
    else if (chance < 80) await again(engine)
    else if (chance < 90) await stop(engine)
    else await retry(engine)
  }
  const queues = (engine: EngineProcess) => (random.chance(0.9) ? begin(engine, ENQUEUED, 'enqueue') : dequeue(engine))

  return {
    accounts,
    get asked() {
      return asked
    },
    open: look,
    async load(engine, enough = Number.POSITIVE_INFINITY) {
      let open = 0
      const until = async (each: (engine: EngineProcess) => Promise<void>) => {
        while (!engine.gone && accounts.length < enough) {
          if (open < OPEN) await each(engine)
          else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        }
      }
      const looking = async () => {
        while (!engine.gone && accounts.length < enough) {
          open = (await look(engine)) ?? open
          await new Promise((resolve) => setTimeout(resolve, 5 * PAUSE_MS))
        }
      }
      // One client enqueues, one after the other, so that the order of its answers is known.
      await Promise.all([until(starts), until(starts), until(queues), looking()])
    }
  }
}
