/** Whether a home kept its promises: what clients were answered and what steps have marked, against what is stored. Source: reliability 3. */
import type { JournalRecord, NodeRecord, RunRecord } from '../../machines/vocabulary.ts'
import { isActive } from '../../src/store/commit.ts'
import { nodesOf } from '../../src/store/history.ts'
import type { Store } from '../../src/store/open.ts'
import type { Findings } from './suite.ts'
import { ACCEPTED, type Mark, WIDTH } from './workload.ts'

/** This step dies with its engine: its outcome may be unknown (P10). */
const IN_ENGINE = 'filter'

/** A run that was asked for, as its client knows it. */
export interface Account {
  dag: string
  dagRunId: string
  params: string
  /** The connection may have broken: then it is unknown. */
  answer: 'accepted' | 'refused' | 'unknown'
  /** It was taken out of its queue, or perhaps was. */
  dequeued?: 'yes' | 'maybe'
}

export interface Checked {
  runs: number
  executions: number
  interrupted: number
}

/**
 * Looks at a home in which nothing runs any more.
 * @param accounts in the order in which they were asked for
 * @param strict no holder of steps was killed, so no outcome is unknown
 */
export function checkHome(
  store: Store,
  accounts: Account[],
  marks: Mark[],
  strict: boolean,
  findings: Findings
): Checked {
  const records = Array.from(store.runs.getRange(), ({ value }) => value)
  const known = new Map(records.map(({ record }) => [record.dagRunId, record]))
  checkAccounts(accounts, known, findings)
  for (const { dagRunId } of marks)
    findings.check(known.has(dagRunId), 'P1', `run ${dagRunId} was executed, and there is no such run`)
  let executions = 0
  let interrupted = 0
  const byStep = new Map<string, Mark[]>()
  for (const mark of marks) {
    const key = `${mark.dagRunId} ${mark.step}`
    byStep.set(key, [...(byStep.get(key) ?? []), mark])
  }
  for (const { record, seq } of records) {
    const id = `${record.name}/${record.dagRunId}`
    findings.check(!isActive(record), 'P8', `run ${id} is ${record.status} for ever`)
    checkJournal(store, record, seq, findings)
    checkIndexes(store, record, findings)
    for (const node of nodesOf(store, record).values()) {
      const left = byStep.get(`${record.dagRunId} ${node.record.step}`) ?? []
      executions += left.filter(({ code }) => code === undefined).length
      if (checkNode(store, record, node.record, left, strict, findings)) interrupted++
    }
  }
  checkQueue(
    accounts,
    records.map(({ record }) => record).filter(({ queue }) => queue === 'narrow'),
    findings
  )
  return { runs: records.length, executions, interrupted }
}

/** Source: P1. @param known stored runs by their ids */
export function checkAccounts(accounts: Account[], known: Map<string, RunRecord>, findings: Findings): void {
  for (const { dag, dagRunId, params, answer, dequeued } of accounts) {
    const record = known.get(dagRunId)
    if (answer === 'accepted' && !dequeued) {
      findings.check(record !== undefined, 'P1', `run ${dag}/${dagRunId} was acknowledged and is not there`)
      const kept = record?.params.map(({ name, value }) => `${name}=${value}`).join(' ')
      findings.check(!record || kept === params, 'P1', `run ${dag}/${dagRunId} has lost its parameters: ${kept}`)
    }
    if (dequeued === 'yes')
      findings.check(record === undefined, 'P1', `run ${dag}/${dagRunId} was taken out of its queue and is still there`)
  }
}

/**
 * Source: P5. Every actor's record begins where its last one ended, so that none is missing and none is there twice; numbers
 * rise up to the one that the run knows; and the last word on the run's status is its record's.
 */
function checkJournal(store: Store, record: RunRecord, seq: number, findings: Findings): void {
  const { name, dagRunId, status } = record
  const id = `${name}/${dagRunId}`
  const range = store.journal.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, Number.MAX_VALUE] })
  const journal = Array.from(range, ({ value }) => value)
  const states = new Map<string, string>()
  for (const { actor, from, to, event } of journal) {
    const before = states.get(actor)
    // What a call has resolved is looked at again by the next engine.
    const isFirst = before === undefined && actor.startsWith('queue/')
    const follows = isFirst || from === '' || before === from || from === 'resolving'
    findings.check(
      follows,
      'P5',
      `journal of ${id}: ${actor} was ${before}, and went from ${from} to ${to} by ${event}`
    )
    states.set(actor, to)
  }
  findings.check((journal.at(-1)?.seq ?? 0) <= seq, 'P5', `the journal of ${id} goes on after ${seq}, its run does not`)
  const last = journal.filter(({ actor, status }) => actor === `run/${id}` && status).at(-1)
  const isRecorded = last?.status === status || record.error?.startsWith('state unreadable') === true
  findings.check(last !== undefined && isRecorded, 'P5', `${id} is ${status}, its journal says ${last?.status}`)
}

function checkIndexes(
  store: Store,
  { name, dagRunId, createdAt, status, caller }: RunRecord,
  findings: Findings
): void {
  const id = `${name}/${dagRunId}`
  findings.check(!store.open.doesExist([name, dagRunId]), 'P5', `${id} has ended and is listed as open`)
  if (caller) return
  const states = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'queued', 'partially_succeeded']
  const listed = states.filter((each) => store.byStatus.doesExist([each, createdAt, name, dagRunId]))
  findings.check(
    listed.join() === status,
    'P5',
    `${id} is ${status} and listed as ${listed.join(' and ') || 'nothing'}`
  )
  const found =
    store.byTime.doesExist([createdAt, name, dagRunId]) && store.byName.doesExist([name, createdAt, dagRunId])
  findings.check(found, 'P5', `${id} is missing from a listing`)
}

const NOT_STARTED = 'the step could not be started'

/** @returns whether its outcome is not known */
function checkNode(
  store: Store,
  run: RunRecord,
  node: NodeRecord,
  marks: Mark[],
  strict: boolean,
  findings: Findings
): boolean {
  const { step, status, error } = node
  const id = `step ${step} of ${run.name}/${run.dagRunId}`
  const interrupted = error?.includes('interrupted') === true
  if (strict && step !== IN_ENGINE)
    findings.check(!interrupted, 'P9', `${id} is "${error}", and nobody has harmed what holds it`)
  const begun = marks.filter(({ code }) => code === undefined).length
  const recorded = executionsOf(store, run, node)
  findings.check(begun <= recorded, 'P2', `${id} was executed ${begun} times, recorded are ${recorded}`)
  const isMarked = marks.length > 0 || status !== 'succeeded' || step === IN_ENGINE || step === 'calls'
  findings.check(isMarked, 'P4', `${id} is shown succeeded and has never been executed`)
  const last = marks.filter(({ code }) => code !== undefined).at(-1)?.code
  if (marks.length === 0) return interrupted
  const accepted = ACCEPTED[step] ?? 0
  if (status === 'succeeded') findings.check(last === accepted, 'P4', `${id} is shown succeeded, it said ${last}`)
  // A retry whose execution found a full disk: the marks are those of the previous attempt.
  if (error?.includes(NOT_STARTED))
    findings.check(begun < recorded, 'P4', `${id} is shown as not started, and was executed ${begun} times`)
  else if (status === 'failed' && !interrupted)
    findings.check(last !== undefined && last !== accepted, 'P4', `${id} is shown failed, it said ${last}: ${error}`)
  return interrupted
}

/** Executions on record, those of earlier attempts of the run included. A node that a retry has kept counts once. */
function executionsOf(store: Store, run: RunRecord, node: NodeRecord): number {
  const { name, dagRunId, attempt } = run
  const earlier = Array.from({ length: attempt - 1 }, (_, index) => store.attempts.get([name, dagRunId, index + 1]))
  const records = [...earlier.flatMap((kept) => [...(kept?.nodes.values() ?? [])]), node]
  const byBegin = new Map(records.filter(({ step }) => step === node.step).map((each) => [each.startedAt, each]))
  return [...byBegin.values()].reduce(
    (sum, { startedAt, retryCount }) => sum + (startedAt === undefined ? 0 : retryCount + 1),
    rerunsOf(store, run, node)
  )
}

/** `onInterrupt: rerun` executes again without counting a retry; the journal has it. Source: 13.5.3. */
function rerunsOf(store: Store, { name, dagRunId }: RunRecord, { step }: NodeRecord): number {
  const range = store.journal.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, Number.MAX_VALUE] })
  const isRerun = ({ actor, from, to }: JournalRecord) =>
    actor === `run/${name}/${dagRunId}/node/${step}` &&
    from === 'attempting.interrupting' &&
    to === 'attempting.executing'
  return Array.from(range).filter(({ value }) => isRerun(value)).length
}

/** Source: P13, P14. */
function checkQueue(accounts: Account[], records: RunRecord[], findings: Findings): void {
  const byId = new Map(records.map((record) => [record.dagRunId, record]))
  let latest: RunRecord | undefined
  for (const { dag, dagRunId, answer } of accounts) {
    const record = byId.get(dagRunId)
    if (dag !== 'narrow' || answer !== 'accepted' || record?.startedAt === undefined) continue
    const early = latest?.startedAt !== undefined && record.startedAt < latest.startedAt
    findings.check(
      !early,
      'P14',
      `queued run ${dagRunId} started before ${latest?.dagRunId}, which was acknowledged earlier`
    )
    latest = record
  }
  const ends = records
    .flatMap(({ startedAt, finishedAt }) =>
      startedAt === undefined || finishedAt === undefined ? [] : [[startedAt, 1] as const, [finishedAt, -1] as const]
    )
    .sort(([a, way], [b, other]) => a - b || way - other)
  let running = 0
  for (const [, way] of ends) {
    running += way
    findings.check(running <= WIDTH, 'P13', `${running} runs of a queue for ${WIDTH} ran at the same time`)
  }
}
