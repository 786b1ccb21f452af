/**
 * Fills the slots of the scheduler: finds what is due and what is known about it, begins what was decided,
 * keeps the decisions. It decides nothing. Source: execution-semantics 11.
 */
import { fromCallback } from 'xstate'
import type { Due, Facts } from '../../../machines/policy/due.ts'
import { type Defined, type Found, isOver, mayBeBehind, withMadeUp } from '../../../machines/policy/due-starts.ts'
import {
  type SchedulerEvent,
  type StartAnswered,
  schedulerMachine,
  type TimetableEvent,
  type TimetableInput
} from '../../../machines/scheduler.ts'
import type { AlarmInput, AlarmSet } from '../../../machines/slots.ts'
import type { RunKey, RunRecord, ScheduleDecision } from '../../../machines/vocabulary.ts'
import { uuidV7 } from '../../clock.ts'
import { nextRun } from '../../definition/dag/next-run.ts'
import { messageOf } from '../../errors.ts'
import type { Changes } from '../../store/changes.ts'
import { latestRun, runningRuns } from '../../store/find-runs.ts'
import { latestDecision, restartsIn, slotsOf } from '../../store/scheduling.ts'
import { AT_MOST_MS, minuteAlarm } from '../pace/alarm.ts'
import type { RunRequest } from '../root/run-request.ts'
import type { Services } from '../root/services.ts'
import { decidedSlots } from './decided-slots.ts'
import { keepRestart, type RestartParts, restartKey, restartLogic } from './scheduled-restart.ts'
import type { Scheduling } from './scheduling.ts'
import { openTimetable } from './timetable.ts'

export interface SchedulerParts extends RestartParts {
  /** Absent: it ticks, and looks at no definition. */
  scheduling?: Scheduling
}

const MINUTE_MS = 60_000
const idOf = ({ fileName, kind, slot }: Due) => `${fileName}/${kind}/${slot}`

/** A timetable that ticks, and on which nothing is ever due. */
const withoutDefinitions = (transactions: Services['transactions']) =>
  fromCallback<TimetableEvent, TimetableInput>(({ sendBack, receive }) =>
    receive((event) => {
      if (event.type === 'timetable.look')
        transactions.take(() => sendBack({ type: 'look.ended', minute: event.minute } satisfies SchedulerEvent))
    })
  )

// D804: a minute is decided in the transaction that stores its run
export function schedulerLogic(parts: SchedulerParts): typeof schedulerMachine {
  const { clock, transactions, store, restarts, scheduling } = parts
  const minute = minuteAlarm(parts)
  if (!scheduling)
    return schedulerMachine.provide({
      actors: { alarm: minute, timetable: withoutDefinitions(transactions) }
    })

  // D1123: the scheduler of a test engine passes over minutes in which nothing is due
  const { wait } = scheduling
  const nextLook = () => timetable.next(scheduling.definitions())
  const tick = wait
    ? fromCallback<AlarmSet, AlarmInput>(({ input: { dueAt }, sendBack }) =>
        wait(dueAt, nextLook, () => transactions.take(() => sendBack({ type: 'alarm.rang', at: clock.now() })))
      )
    : minute
  const zone = () => scheduling.zone
  let timetable = openTimetable(zone)
  let isFailing = false
  const slots = decidedSlots(store, zone)
  let decisions = latestDecision(store)
  /** Run requests that found no free slot, until it is decided whether they wait. */
  const prepared = new Map<string, RunRequest & { bounded: boolean }>()
  /** Runs that slots came to. */
  const runIds = new Map<string, string>()
  for (const { key, restart } of restartsIn(store)) restarts.set(restartKey(key), restart)

  /** Watches minutes of new and changed definitions, for those that make up for missed starts, or did. */
  function watch(changed: readonly Defined[], minute: number): void {
    for (const { fileName, plan } of changed)
      if ((plan.catchup !== 'none' && plan.schedule.start.length > 0) || slotsOf(store, fileName)?.starts)
        if (slots.watch(fileName, plan, minute - 1)) slots.store(transactions.changes, fileName)
  }

  /** Starts that are due, with their plans; cheap when nothing is. @param since the minute from which on definitions that are new count */
  function look(minute: number, since: number): readonly Found[] {
    const changed = timetable.know(scheduling?.definitions() ?? [], since)
    watch(changed, minute)
    const found = timetable.due(minute).map(({ fileName, plan, kind, slot, missed, expressions }): Found => {
      return { due: { fileName, name: plan.name, kind, slot }, plan, missed, late: false, expressions }
    })
    const behind = mayBeBehind(changed, found).map(({ fileName, plan }) => {
      return { fileName, plan, missedStarts: slots.missed(fileName, plan, minute) }
    })
    return withMadeUp(found, behind)
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
      ...(latest ? { latest: factsOfRun(latest) } : {}),
      ...(dueAfterLatest === undefined ? {} : { dueAfterLatest })
    }
  }

  const factsOfRun = ({ status, startedAt, superseded }: RunRecord): NonNullable<Facts['latest']> => ({
    status,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(superseded ? { superseded } : {})
  })

  async function start(due: Due, how: 'start' | 'enqueue'): Promise<Omit<StartAnswered, 'at'>> {
    const answer = { type: 'start.answered' as const, due, how, limit: 0, queues: scheduling?.queues ?? false }
    try {
      const wanted = prepared.get(idOf(due)) ?? (await scheduling?.runRequest(due.fileName))
      prepared.delete(idOf(due))
      if (!wanted) throw new Error(`there is no definition named ${due.fileName}`)
      const { bounded, ...runRequest } = wanted
      runRequest.record.trigger = { type: 'schedule', slot: due.slot }
      runIds.set(idOf(due), runRequest.record.dagRunId)
      const admission = await parts.start({
        ...runRequest,
        ...(how === 'enqueue' ? { enqueue: { bounded } } : {}),
        note: (changes) => slots.store(changes, due.fileName)
      })
      const limit = runRequest.plan.plan.maxActiveRuns
      if (admission.type !== 'start.refused') return { ...answer, limit, outcome: 'begun' }
      runIds.delete(idOf(due))
      if (admission.reason === 'queue_faulted') return { ...answer, limit, outcome: 'failed', error: admission.reason }
      prepared.set(idOf(due), { ...wanted, record: { ...runRequest.record, createdAt: clock.now() } })
      return { ...answer, limit, outcome: 'full' }
    } catch (error) {
      return { ...answer, outcome: 'failed', error: messageOf(error) }
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
    const decide = (found: readonly Found[], minute: number) => {
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
    const lookedAt = (found: readonly Found[]): SchedulerEvent => {
      const suspended = scheduling.suspended()
      const running = runningRuns(store)
      const now = clock.now()
      const facts = found.map((one) => ({
        ...factsOf(one, suspended.has(one.due.fileName), running.get(one.due.name) ?? []),
        missed: one.missed || isOver(one.due, now, AT_MOST_MS)
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
        runIds.set(idOf(due), restart.dagRunId)
        keepRestart(parts, key, restart)
        send({ type: 'restart.found', key, waitMs })
      } else note(transactions.changes, event.decision)
    })
    return () => {
      isOpen = false
    }
  })

  return schedulerMachine.provide({
    actors: {
      alarm: tick,
      timetable: invokedActor,
      restart: restartLogic(parts, (key, dagRunId) => scheduling.restart(key, dagRunId))
    }
  })
}
