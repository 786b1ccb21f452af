/** Inspects charts and runs by machines, journal and records, never by an actor. Source: architecture 6, 9; docs/inspect.md. */
import { workerNeeds } from '../../machines/policy/worker-needs.ts'
import type { JournalRecord, NodeRecord, Plan, RunKey, RunRecord, WorkerNeeds } from '../../machines/vocabulary.ts'
import { nextRun } from '../definition/dag/next-run.ts'
import { TroupeError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { isActive } from '../store/commit.ts'
import { isUnreadable, readEntry } from '../store/damage/damaged.ts'
import { unreadableRun, unreadableSteps } from '../store/damage/unreadable.ts'
import { lockOwner } from '../store/disk/lock.ts'
import { activeRuns } from '../store/find-runs.ts'
import { callAt, callsOf, eventsOf, journalOf, planOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { decisionsBefore, decisionsOf, restartsIn } from '../store/scheduling.ts'
import { shownNodes } from '../store/shown-nodes.ts'
import { workerAt } from '../store/tables/workers.ts'
import { actorsOf, causesOf, copyOfActor, nodesOf, type Seen, type SubRuns, seenAs, statusIn } from './actors.ts'
import { chart, charts } from './charts.ts'
import type { PlacedStep } from './contexts.ts'
import { type DefinitionSituation, definitionReasons } from './explain/definition.ts'
import { explained, whyEnded } from './explain/explain.ts'
import { type QueueSituation, reasonFor, type Situation, type WorkerSeen } from './explain/situation.ts'
import { isWaitingRetry, waitingRetry } from './explain/waiting-retry.ts'
import type { Facts } from './inspection.ts'
import { previewOf } from './preview.ts'
import { openReplays } from './replays.ts'
import { sequenceOf } from './sequence.ts'

export interface InspectionSources {
  store: Store
  now(): number
  /** The record of a run; `latest` is the newest of the name. */
  record(key: RunKey): RunRecord | undefined
  /** The plan of a run; an unreadable one has no steps. */
  plan(record: RunRecord): Plan
  queues(): QueueSituation[]
  /** Absent: the engine has no workers. */
  workers?: () => readonly WorkerSeen[] | undefined
  /** The run that a run is held back with, if it is. */
  heldBackWith?: (key: RunKey) => RunKey | undefined
  /** @throws TroupeError not_found */
  definition(
    fileName: string
  ): Pick<DefinitionSituation, 'fileName' | 'name' | 'problems' | 'suspended'> & { plan?: Plan }
  /** When the process of an execution of a step began, as its launcher has recorded it; undefined: it has not. */
  begunAt(record: RunRecord, step: string, attempt: number): number | undefined
  /** IANA zone of schedules without one. */
  readonly zone: string
  maxProcesses: number
  /** State of the engine in this process; unknown when another one owns the home. */
  engine: { owns: boolean; holdsQueues: boolean; schedules: boolean }
}

const MOST_EVENTS = 10_000
const MOST_MESSAGES = 5_000
const MOST_DECISIONS = 1_000
/** Decisions examined per answer: some 10 ms of work. */
const LOOKED_AT_ONCE = 2_000
/** Decisions examined for a definition or a run. */
const LOOKED_THROUGH = 1_000

export function inspectionOf(sources: InspectionSources): Facts {
  const { store, now, engine } = sources
  const replays = openReplays(store)

  function known(key: RunKey): { record: RunRecord; plan: Plan } {
    const record = sources.record(key)
    if (!record) throw new TroupeError('not_found', `no run ${key.dagRunId} of ${key.name}`)
    return { record, plan: sources.plan(record) }
  }

  const seenAt = ({ record, plan }: ReturnType<typeof known>, at: number): Seen => {
    const seen = seenAs({ name: record.name, dagRunId: record.dagRunId }, plan, replays.at(record, at))
    if (isActive(record) || at < replays.latest(record)) return seen
    const stored = shownNodes(store, record)
    return {
      ...seen,
      node: (placed) => settledNode(seen.node(placed), stored.at(placed.place, placed.step.name)?.record)
    }
  }

  /** The sub DAG runs that an execution had started as of its latest transition, with their current statuses. */
  const begunBy =
    (record: RunRecord): SubRuns =>
    ({ place }, { memory }) => {
      const attempt = Number(memory.attempt ?? 0)
      const items = callAt(store, record, place, record.attempt, attempt)?.items ?? []
      return items.slice(0, Number(memory.next ?? 0)).map(({ name, dagRunId }) => ({
        run: { name, dagRunId },
        status: runRecord(store, { name, dagRunId })?.status ?? 'not_started'
      }))
    }

  function situationOf(found: ReturnType<typeof known>): Situation {
    const { record } = found
    // Only a run that is waiting needs the queues, for which all waiting runs are read.
    const queue =
      record.status === 'queued' && !record.caller
        ? sources.queues().find(({ name }) => name === (record.queue ?? record.name))
        : undefined
    const worker = record.placement && workerAt(store, record.placement.home)
    const needs = workerNeeds(found.plan)
    const workers = sources.workers?.()
    const lostAt = workers?.find(({ home }) => home === record.placement?.home)?.lostAt
    const held = isActive(record) ? sources.heldBackWith?.(record) : undefined
    const situation: Situation = {
      ...seenAt(found, Number.MAX_SAFE_INTEGER),
      record,
      now: now(),
      isOwned: engine.owns || lockOwner(store) !== undefined,
      holdsQueues: engine.holdsQueues,
      maxProcesses: sources.maxProcesses,
      begunAt: (step, attempt) => sources.begunAt(record, step, attempt),
      ...(queue ? { queue } : {}),
      ...(worker ? { worker: { ...worker, ...(lostAt === undefined ? {} : { lostAt }) } } : {}),
      ...(needs ? { needs } : {}),
      ...(workers ? { workers } : {}),
      ...(held ? { heldBack: { run: held, worker: runRecord(store, held)?.placement?.id ?? '' } } : {}),
      needsOf: needsByPlan(sources),
      subRuns(place) {
        const call = callsOf(store, record, place).at(-1)
        const begun = (call?.items ?? []).flatMap(({ name, dagRunId }) => {
          const sub = runRecord(store, { name, dagRunId })
          return sub ? [{ run: { name, dagRunId }, status: sub.status }] : []
        })
        return { begun, total: call?.items.length ?? 0, maxConcurrent: call?.maxConcurrent ?? 1 }
      },
      whyEnded(run) {
        const sub = runRecord(store, run)
        return sub && whyEnded(situationOf({ record: sub, plan: sources.plan(sub) }))
      }
    }
    return isWaitingRetry(record) ? waitingRetry(store, situation) : situation
  }

  return {
    charts: () => charts(),
    chart(id) {
      const found = chart(id)
      if (found) return found
      throw new TroupeError(
        'not_found',
        `no machine ${id}; there are ${charts()
          .map((one) => one.id)
          .join(', ')}`
      )
    },
    run(key, { at, actor, brief = false } = {}) {
      const found = known(key)
      const latest = replays.latest(found.record)
      const seen = seenAt(found, wantedEvent(at, latest))
      const actors = brief ? [] : actorsOf(seen, begunBy(found.record), actor)
      if (actor !== undefined && !brief && actors.length === 0)
        throw new TroupeError('not_found', `run ${found.record.dagRunId} has no actor ${actor} then`)
      const { event } = seen.state
      return {
        run: seen.run,
        at: at ?? latest,
        latest,
        ...(event ? { event: published(event) } : {}),
        status: statusIn(seen.state),
        nodes: nodesOf(seen),
        actors
      }
    },
    preview(key, actor, event, { at } = {}) {
      const found = known(key)
      const seen = seenAt(found, wantedEvent(at, replays.latest(found.record)))
      const copied = copyOfActor(seen, actor)
      if (copied) return previewOf(copied, { at: seen.state.event?.at ?? now(), ...event })
      throw new TroupeError('not_found', `run ${found.record.dagRunId} has no actor ${actor} then, or it has ended`)
    },
    events(key, { after = 0, limit = 1_000, causes = false } = {}) {
      const { name, dagRunId } = known(key).record
      const run = { name, dagRunId }
      const most = Math.min(Math.max(1, limit), MOST_EVENTS)
      const records = journalOf(store, run, after, most + 1)
      const part = records.slice(0, most)
      const at = (seq: number) => readEntry(store.journal, [name, dagRunId, seq])
      return {
        run,
        events: part.map((record) => ({
          record: published(record),
          ...(causes ? { causes: causesOf(record, at).map(({ seq, actor, event }) => ({ seq, actor, event })) } : {})
        })),
        latest: replays.latest(run),
        ...(records.length > most ? { next: part.at(-1)?.seq ?? after } : {})
      }
    },
    explain(key, step) {
      const found = known(key)
      const situation = situationOf(found)
      const { name, dagRunId, status } = found.record
      if (step !== undefined && !planOf(store, found.record.plan)) throw unreadableRun(found.record)
      const only = step === undefined ? undefined : placeNamed(situation, step)
      if (only && isUnreadable(situation.node(only))) throw unreadableSteps(found.record, [only.step.name])
      return { subject: { kind: 'run', name, dagRunId, status }, reasons: explained(situation, only) }
    },
    explainDefinition(fileName) {
      const stored = sources.definition(fileName)
      const { name, plan } = stored
      const active = activeRuns(store, name)
      const next = plan && nextRun(plan.schedule.start, now(), sources.zone)
      const decisions = decisionsOf(store, LOOKED_THROUGH).filter((decision) => decision.fileName === fileName)
      const latest = (['start', 'stop', 'restart'] as const).flatMap(
        (kind) => decisions.find((decision) => decision.kind === kind) ?? []
      )
      const reasons = definitionReasons({
        ...stored,
        now: now(),
        isOwned: engine.owns || lockOwner(store) !== undefined,
        schedules: engine.schedules || !engine.owns,
        ...(next === undefined ? {} : { next }),
        running: active.filter(({ status }) => status === 'running'),
        queued: active.filter(({ status }) => status === 'queued'),
        restarting: restartsIn(store).flatMap(({ key }) => (key.name === name ? [key] : [])),
        decisions: latest
      })
      return {
        subject: { kind: 'dag', name, fileName },
        reasons: reasons.map((said) => reasonFor({ kind: 'dag', name }, said))
      }
    },
    decisions({ fileName, before = Number.MAX_SAFE_INTEGER, limit = 100 } = {}) {
      const most = Math.min(Math.max(1, limit), MOST_DECISIONS)
      return decisionsBefore(store, before, { fileName, limit: most, through: LOOKED_AT_ONCE })
    },
    sequence(key, { after = 0, limit = 500 } = {}) {
      const { record } = known(key)
      const run = { name: record.name, dagRunId: record.dagRunId }
      const records = journalOf(store, run, after, Math.min(Math.max(1, limit), MOST_MESSAGES))
      const decision = decisionsOf(store, LOOKED_THROUGH).find(
        ({ name, dagRunId }) => name === run.name && dagRunId === run.dagRunId
      )
      const last = records.at(-1)?.seq ?? after
      const omitted = eventsOf(store, run, last)
      const worker = record.placement?.id
      return sequenceOf({
        run,
        records,
        actorOf: (seq) => readEntry(store.journal, [run.name, run.dagRunId, seq])?.actor,
        omitted,
        ...(decision ? { decision } : {}),
        // The worker of that time is told by when the run left it.
        ...(worker === undefined
          ? {}
          : { worker, later: journalOf(store, run, last, Math.min(omitted, MOST_MESSAGES)) })
      })
    }
  }
}

/** @throws TroupeError bad_request: it is not a number of the journal @returns the latest one when none is wanted */
function wantedEvent(at: number | undefined, latest: number): number {
  if (at === undefined) return latest
  if (Number.isSafeInteger(at) && at >= 0 && at <= latest) return at
  throw new TroupeError('bad_request', `at: wanted the number of an event, 0 to ${latest}, found ${at}`)
}

/** Runs of the same definition text need the same. */
function needsByPlan(sources: InspectionSources): Situation['needsOf'] {
  const known = new Map<string, WorkerNeeds | undefined>()
  return (record) => {
    if (!known.has(record.plan)) known.set(record.plan, workerNeeds(sources.plan(record)))
    return known.get(record.plan)
  }
}

/**
 * A node of an ended run is as it was stored: a damaged journal lacks records, and would give an earlier state.
 * @param seen from the journal
 */
function settledNode(seen: NodeRecord, stored: NodeRecord | undefined): NodeRecord {
  if (!stored || (stored.status === seen.status && !isUnreadable(stored))) return seen
  const { output: _output, outputMarks: _marks, thrown: _thrown, stdout: _stdout, stderr: _stderr, ...shown } = stored
  return shown
}

function placeNamed({ places, record }: Situation, name: string): PlacedStep {
  const found = places.find(({ step }) => step.name === name)
  if (found) return found
  const names = places.map(({ step }) => step.name)
  const hint = didYouMean(name, names)
  throw new TroupeError(
    'not_found',
    `run ${record.dagRunId} of ${record.name} has no step or handler named ${JSON.stringify(name)}${hint}`
  )
}

/** A record as it is published: without its changes of the context, which are for replays. */
const published = ({ context: _context, whole: _whole, kept: _kept, ...record }: JournalRecord): JournalRecord => record
