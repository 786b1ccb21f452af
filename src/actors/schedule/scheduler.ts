/**
 * Fills the slots of the scheduler and of restarts: finds what is due and what is known about it, begins what was decided,
 * keeps the decisions. It decides nothing. Source: execution-semantics 11.
 */
import { fromCallback } from 'xstate'
import { backfilled, type Due, type Facts } from '../../../machines/policy/due.ts'
import { restartMachine } from '../../../machines/restart.ts'
import {
  type SchedulerEvent,
  type StartAnswered,
  schedulerMachine,
  type TimetableEvent,
  type TimetableInput
} from '../../../machines/scheduler.ts'
import type { Plan, RunKey, ScheduleDecision } from '../../../machines/vocabulary.ts'
import { uuidV7 } from '../../clock.ts'
import { nextRun } from '../../definition/dag/next-run.ts'
import type { Changes } from '../../store/changes.ts'
import { latestRun, runningRuns, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { latestDecision, restartsIn, slotsOf } from '../../store/scheduling.ts'
import type { StoredRestart } from '../../store/stored.ts'
import { AT_MOST_MS, alarm, minuteAlarm } from '../pace/alarm.ts'
import type { RunRequest } from '../root/run-request.ts'
import type { Services } from '../root/services.ts'
import type { System } from '../root/system-parts.ts'
import { needsWorker } from '../run/needs-worker.ts'
import type { Scheduling } from './scheduling.ts'
import { settledSlots } from './settled-slots.ts'
import { openTimetable } from './timetable.ts'

export interface SchedulerParts extends Pick<Services, 'clock' | 'transactions'> {
  store: Store
  start: System['start']
  /** Resolves when a run has ended and that is on disk. */
  ended(key: RunKey): Promise<void>
  /** Resolves when every run that was open before a restart is open again. */
  recovered: Promise<void>
  /** Restarts under way, by the id of the old run. Shared with retention: such a run is needed. */
  restarts: Map<string, StoredRestart>
  fault(error: unknown): void
  /** Absent: it ticks, and looks at no definition. */
  scheduling?: Scheduling
}

/** Something that is due, as a look has found it. */
interface Found {
  due: Due
  plan: Plan
  /** Its minute is over, and it is not backfilled. */
  missed: boolean
  /** It is backfilled: an earlier minute's start. */
  late: boolean
  /** By which it is due. */
  expressions: string[]
}

const MINUTE_MS = 60_000
const pairOf = ({ name, dagRunId }: RunKey): [string, string] => [name, dagRunId]
export const restartKey = (key: RunKey): string => pairOf(key).join('/')
const idOf = ({ fileName, kind, slot }: Due) => `${fileName}/${kind}/${slot}`

/** It ticks, and nothing is ever due. */
const withoutDefinitions = (transactions: Services['transactions']) =>
  fromCallback<TimetableEvent, TimetableInput>(({ sendBack, receive }) =>
    receive((event) => {
      if (event.type === 'timetable.look')
        transactions.take(() => sendBack({ type: 'look.ended', minute: event.minute } satisfies SchedulerEvent))
    })
  )

// D804
export function schedulerLogic(parts: SchedulerParts): typeof schedulerMachine {
  const { clock, transactions, store, restarts, scheduling } = parts
  const minute = minuteAlarm(parts)
  if (!scheduling)
    return schedulerMachine.provide({
      actors: { alarm: minute, timetable: withoutDefinitions(transactions) }
    })

  const zone = () => scheduling.zone
  let timetable = openTimetable(zone)
  let isFailing = false
  const slots = settledSlots(store, zone)
  let decisions = latestDecision(store)
  /** Candidates that found no room, until it is decided whether they wait. */
  const prepared = new Map<string, RunRequest & { bounded: boolean }>()
  /** Runs that slots came to. */
  const runIds = new Map<string, string>()
  for (const { key, restart } of restartsIn(store)) restarts.set(restartKey(key), restart)

  /** What is due, with the plans it is due by; cheap when nothing is. @param since the minute from which on definitions that are new count */
  function look(minute: number, since: number): Found[] {
    const changed = timetable.know(scheduling?.definitions() ?? [], since)
    for (const { fileName, plan } of changed)
      if ((plan.catchup !== 'none' && plan.schedule.start.length > 0) || slotsOf(store, fileName)?.starts)
        if (slots.watch(fileName, plan, minute - 1)) slots.store(transactions.changes, fileName)
    const found = timetable.due(minute).map(({ fileName, plan, kind, slot, missed, expressions }): Found => {
      return { due: { fileName, name: plan.name, kind, slot }, plan, missed, late: false, expressions }
    })
    const behind = new Map([
      ...changed.map(({ fileName, plan }) => [fileName, plan] as const),
      ...found.flatMap(({ due, plan }) => (due.kind === 'start' ? [[due.fileName, plan] as const] : []))
    ])
    return [...behind].reduce((all, [fileName, plan]) => {
      if (plan.catchup === 'none') return all
      const missedStarts = slots.missed(fileName, plan, minute)
      const isStart = ({ due }: Found) => due.fileName === fileName && due.kind === 'start'
      const now = all.find((one) => isStart(one) && !one.missed)
      const others = all.filter((one) => !isStart(one))
      // D807
      const { catchup } = plan
      const wanted = backfilled(catchup, missedStarts, now !== undefined)
      const made = wanted.map((slot) => ({
        due: { fileName, name: plan.name, kind: 'start' as const, slot, catchup },
        plan,
        missed: false,
        late: true,
        expressions: plan.schedule.start
      }))
      if (!now) return [...others, ...made]
      const inLine = made.length > 0 ? { ...now, due: { ...now.due, catchup } } : now
      return [...others, ...made, inLine]
    }, found)
  }

  function factsOf({ due, plan, missed, late, expressions }: Found, suspended: boolean, running: RunKey[]): Facts {
    const latest = latestRun(store, due.name)
    const [newest] = running
    const { startedAt } = latest ?? {}
    const dueAfterLatest =
      plan.skipIfSuccessful && startedAt !== undefined ? nextRun(expressions, startedAt, zone()) : undefined
    return {
      ...due,
      suspended,
      missed,
      decided: slots.isSettled(due) || (late && slots.isBackfilled(due)),
      skipIfSuccessful: plan.skipIfSuccessful,
      running,
      restarting: newest !== undefined && restarts.has(restartKey(newest)),
      ...(latest ? { latest: { status: latest.status, ...(startedAt === undefined ? {} : { startedAt }) } } : {}),
      ...(dueAfterLatest === undefined ? {} : { dueAfterLatest })
    }
  }

  async function start(due: Due, how: 'start' | 'enqueue'): Promise<Omit<StartAnswered, 'at'>> {
    const answer = { type: 'start.answered' as const, due, how, limit: 0, queues: scheduling?.queues ?? false }
    try {
      const wanted = prepared.get(idOf(due)) ?? (await scheduling?.runRequest(due.fileName))
      prepared.delete(idOf(due))
      if (!wanted) throw new Error(`there is no definition named ${due.fileName}`)
      const { bounded, ...runRequest } = wanted
      runIds.set(idOf(due), runRequest.record.dagRunId)
      const admission = await parts.start({
        ...runRequest,
        ...(how === 'enqueue' ? { enqueue: { bounded, needsWorker: needsWorker(runRequest.plan.plan) } } : {}),
        note: (changes) => slots.store(changes, due.fileName)
      })
      const limit = runRequest.plan.plan.maxActiveRuns
      if (admission.type !== 'start.refused') return { ...answer, limit, outcome: 'begun' }
      runIds.delete(idOf(due))
      if (admission.reason === 'queue_faulted') return { ...answer, limit, outcome: 'failed', error: admission.reason }
      prepared.set(idOf(due), { ...wanted, record: { ...runRequest.record, createdAt: clock.now() } })
      return { ...answer, limit, outcome: 'full' }
    } catch (error) {
      return { ...answer, outcome: 'failed', error: (error as Error).message }
    }
  }

  function note(changes: Changes, { fileName, kind, slot, ...decision }: ScheduleDecision): void {
    const due = { fileName, kind, slot, name: decision.name }
    const dagRunId = runIds.get(idOf(due))
    runIds.delete(idOf(due))
    prepared.delete(idOf(due))
    if (decision.reason !== 'missed' && decision.reason !== 'decided') {
      slots.settle(due)
      slots.store(changes, fileName)
    }
    const whole = { ...decision, fileName, kind, slot, ...(dagRunId === undefined ? {} : { dagRunId }) }
    changes.scheduling.decisions.set(++decisions, whole)
    scheduling?.tell(whole)
  }

  const invokedActor = fromCallback<TimetableEvent, TimetableInput>(({ input: { after }, sendBack, receive }) => {
    const send = (event: SchedulerEvent) => transactions.take(() => sendBack(event))
    let isOpen = true
    let since = after === undefined ? undefined : after + MINUTE_MS
    timetable = openTimetable(zone) // the one before may have failed half way
    const failed = (error: unknown) => {
      if (!isOpen) return
      isFailing = true
      scheduling.failing(error)
      send({ type: 'look.failed' })
    }
    transactions.afterCommit(() => {
      for (const { key, restart } of restartsIn(store)) send({ type: 'restart.found', key, waitMs: restart.waitMs })
    })
    const worked = (minute: number) => {
      if (isFailing) scheduling.failing()
      isFailing = false
      send({ type: 'look.ended', minute })
    }
    const lookAt = (minute: number) => {
      const found = look(minute, Math.min(minute, since ?? minute))
      since = undefined
      if (found.length === 0) return worked(minute)
      const decideAll = () => decide(found, minute)
      // A stop reaches runs that have their actors again.
      if (found.some(({ due }) => due.kind !== 'start')) void parts.recovered.then(() => transactions.take(decideAll))
      else decideAll()
    }
    const decide = (found: Found[], minute: number) => {
      // What was committed a moment ago is seen, too.
      transactions.afterFlush(() => {
        if (!isOpen) return
        try {
          send(lookedAt(found))
          worked(minute)
        } catch (error) {
          failed(error)
        }
      })
    }
    const lookedAt = (found: Found[]): SchedulerEvent => {
      const suspended = scheduling.suspended()
      const running = runningRuns(store)
      // What could not be looked at within its minute, because nothing could be stored, is late like any other; or the clock was
      // set back meanwhile, and comes there again.
      const now = clock.now()
      const isOver = ({ due: { slot, catchup } }: Found) =>
        catchup === undefined && (now >= slot + MINUTE_MS || now < slot - AT_MOST_MS)
      const facts = found.map((one) => ({
        ...factsOf(one, suspended.has(one.due.fileName), running.get(one.due.name) ?? []),
        missed: one.missed || isOver(one)
      }))
      return { type: 'minute.looked', at: now, facts }
    }
    receive((event) => {
      if (event.type === 'timetable.look')
        void scheduling
          .ready()
          .then(() => isOpen && transactions.take(() => lookAt(event.minute)))
          .catch(failed)
      else if (event.type === 'timetable.start') {
        slots.settle(event.due)
        void start(event.due, event.how).then((answer) => isOpen && send({ ...answer, at: clock.now() }), parts.fault)
      } else if (event.type === 'timetable.restart') {
        const { key, due } = event
        const waitMs = timetable.planOf(due.fileName)?.restartWaitMs ?? 0
        const restart = { dagRunId: uuidV7(clock), waitMs }
        restarts.set(restartKey(key), restart)
        runIds.set(idOf(due), restart.dagRunId)
        transactions.changes.scheduling.restarts.set(restartKey(key), { key: pairOf(key), value: restart })
        send({ type: 'restart.found', key, waitMs })
      } else note(transactions.changes, event.decision)
    })
    return () => {
      isOpen = false
    }
  })

  const ending = fromCallback<{ type: 'ending.stop' }, RunKey>(({ input: key, sendBack }) => {
    let isOpen = true
    void parts.recovered
      .then(() => parts.ended(key))
      .then(() => {
        const at = runRecord(store, key)?.finishedAt ?? clock.now()
        if (isOpen) transactions.take(() => sendBack({ type: 'run.over', at }))
      })
    return () => {
      isOpen = false
    }
  })

  /** The record of the restart goes in the turn that stores the new run: it is begun once. */
  const restart = fromCallback<{ type: 'restart.stop' }, RunKey>(({ input: key, sendBack }) => {
    const done = (changes: Changes) => {
      restarts.delete(restartKey(key))
      changes.scheduling.restarts.set(restartKey(key), { key: pairOf(key) })
    }
    async function begin() {
      const { dagRunId } = restarts.get(restartKey(key)) ?? {}
      if (dagRunId === undefined || !scheduling) return
      const wanted = await scheduling.restart(key, dagRunId)
      const admission = await parts.start({ ...wanted, note: done })
      if (admission.type === 'start.refused')
        throw new Error(`run ${key.dagRunId} of ${key.name} was stopped, and no new one starts: ${admission.reason}`)
    }
    void begin()
      .catch(parts.fault)
      .then(() =>
        transactions.take(() => {
          if (restarts.has(restartKey(key))) done(transactions.changes)
          sendBack({ type: 'run.restarted', at: clock.now() })
        })
      )
    return () => {}
  })

  return schedulerMachine.provide({
    actors: {
      alarm: minute,
      timetable: invokedActor,
      restart: restartMachine.provide({ actors: { alarm: alarm(parts), ending, restart } })
    }
  })
}
