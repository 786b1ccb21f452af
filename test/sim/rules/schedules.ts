/**
 * What schedules promise, checked at each tick and each decision: in one file, as all rules look at what was known at the latest tick.
 * Source: execution-semantics 11; reliability P15.
 */
import type { RunRecord, ScheduleDecision, ScheduleKind } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../../src/store/changes.ts'
import type { Store } from '../../../src/store/open.ts'
import type { Definition } from '../definitions.ts'
import type { Findings } from '../findings.ts'
import { fires, type Rhythm } from './calendar.ts'
import { idOf } from './queues.ts'
import { hasEnded, type Known } from './runs.ts'

export interface ScheduleRules {
  /** The scheduler looks at a minute. */
  ticked(): void
  /** It gathers what it knows about what is due. */
  looked(): void
  /** It asks for a run of this definition. */
  asked(fileName: string, dagRunId: string): void
  told(decision: ScheduleDecision): void
  /** Called before the runs are notified. */
  turn(changes: Changes): void
  quiet(): void
  /** The engine is gone. */
  forget(): void
  /**
   * A power loss. Effects wait for the commit and not for the flush: lost transactions were never acknowledged, and what they decided is
   * decided again. A slot that is not decided in the store may fire, and the restarts that are due are those that are stored.
   */
  lost(store: Store, transactions: Changes[]): void
  /** The clock was set, or the engine or the machine was away: what comes late now may. */
  disturbed(): void
  over(): void
  readonly counts: { ticks: number; fired: number; skipped: number; backfilled: number; restarts: number }
}

export interface Schedule {
  now(): number
  /** IANA zone of the server. */
  zone: string
  definitions(): ReadonlyMap<string, Definition>
  suspended(): ReadonlySet<string>
  runs(): ReadonlyMap<string, Known>
}

/** What is known of a definition's runs when it is decided. */
interface Facts {
  at: number
  newest?: RunRecord
}
interface Restart {
  waitMs: number
  /**
   * Once it has. A retry in the wait may let it run again: that is not waited for. An engine that comes after counts from the end that is
   * on record by then; the earliest of both, as the retry may seem to have ended before when the clock was set back.
   */
  endedAt?: number
}
const MINUTE = 60_000
/** After the clock was set. */
const LONGEST_WAIT_MS = 61_000
/** A decision is as late as the disk was slow or full, at most. */
const LATEST_MS = 6 * MINUTE
const KINDS: ScheduleKind[] = ['start', 'stop', 'restart']

export function openScheduleRules(findings: Findings, given: Schedule): ScheduleRules {
  const { now, zone, definitions, suspended, runs } = given
  const counts = { ticks: 0, fired: 0, skipped: 0, backfilled: 0, restarts: 0 }
  const due = new Map<string, ScheduleKind>()
  const facts = new Map<string, Facts>()
  /** When the engine looked: decisions are stored as fast as the disk is. */
  let wasSuspended: ReadonlySet<string> = new Set()
  /** The same, of the look that a run was asked for by: its answer may come after the next look. By run id. */
  const askedWhile = new Map<string, ReadonlySet<string>>()
  /** As they were last seen, and when one was last seen to be another than before. */
  let wasDefined: ReadonlyMap<string, Definition> = new Map()
  const changedAt = new Map<string, number>()
  const slots = new Set<string>()
  /** Runs that the scheduler asked for, by run id; the slot that is known of it. */
  const wanted = new Map<string, string>()
  const restarts = new Map<string, Restart>()
  const askedAt = new Map<string, number>()
  let minute = Number.NEGATIVE_INFINITY
  let tickedAt = Number.NEGATIVE_INFINITY
  let undisturbed = 0
  const fired = (list: Rhythm[], at: number) => list.some((rhythm) => fires(rhythm, at, zone))
  const newestOf = (name: string): RunRecord | undefined => {
    let newest: RunRecord | undefined
    for (const { record } of runs().values()) {
      if (record.name !== name || record.caller) continue
      const later = record.createdAt - (newest?.createdAt ?? Number.NEGATIVE_INFINITY)
      if (later > 0 || (later === 0 && record.dagRunId < (newest?.dagRunId ?? ''))) newest = record
    }
    return newest
  }

  function seeDefinitions(): void {
    for (const fileName of new Set([...wasDefined.keys(), ...definitions().keys()]))
      if (wasDefined.get(fileName) !== definitions().get(fileName)) changedAt.set(fileName, now())
    wasDefined = new Map(definitions())
  }

  /** What is decided now may be of a definition that is not there any more. */
  function hasChanged(fileName: string): boolean {
    seeDefinitions()
    return (changedAt.get(fileName) ?? Number.NEGATIVE_INFINITY) > now() - LATEST_MS
  }

  /** Whether the current facts are those that it was decided by. Storing a run may take a while. */
  const isFresh = ({ fileName, dagRunId }: ScheduleDecision) =>
    facts.get(fileName)?.at === now() && (dagRunId === undefined || (askedAt.get(dagRunId) ?? now()) === now())

  /** Set back while a decision waited for the disk, the clock is in its minute again, or a moment before it. */
  const isOfThisMinute = (slot: number) =>
    now() < slot + MINUTE && now() >= slot - LONGEST_WAIT_MS && now() < undisturbed + LATEST_MS

  /** The rules of a start. */
  function checkStart(decision: ScheduleDecision, rhythms: Rhythm[]): void {
    const { fileName, slot, outcome, reason, catchup } = decision
    const known = facts.get(fileName)
    const plan = definitions().get(fileName)?.plan
    if (!known || !plan || !isFresh(decision)) return
    const { status, startedAt = Number.NEGATIVE_INFINITY } = known.newest ?? {}
    const says = `${fileName} ${new Date(slot).toISOString()}: ${reason ?? outcome}, newest ${status} ${startedAt}`
    const isRunning = status === 'running'
    if (outcome === 'fired' && catchup !== 'all') {
      if (isRunning) findings.add('11.6 a start is skipped when the latest run is running', says)
      if (startedAt >= slot)
        findings.add('11.7 a start is skipped when the latest run started in that minute or later', says)
    }
    if (reason === 'running' && !isRunning) findings.add('11.6 a start fires when the latest run is not running', says)
    if (reason === 'started' && startedAt < slot)
      findings.add('11.7 a start fires when the latest run started before', says)
    if (status !== 'succeeded' || startedAt >= slot || catchup === 'all') {
      if (reason === 'succeeded')
        findings.add('11.8 skipIfSuccessful looks at a run that succeeded since the time before', says)
    } else if (outcome === 'fired' || reason === 'succeeded') {
      let since = Math.floor(slot / MINUTE) * MINUTE - MINUTE
      while (since > startedAt && !fired(rhythms, since)) since -= MINUTE
      const isSince = since <= startedAt
      if ((plan.skipIfSuccessful && isSince) !== (reason === 'succeeded'))
        findings.add('11.8 skipIfSuccessful skips a start after a success since the time before', says)
    }
  }

  function checkDecision(decision: ScheduleDecision): void {
    const { fileName, kind, slot, outcome, reason, catchup, dagRunId = '' } = decision
    const definition = definitions().get(fileName)
    const says = `${fileName} ${kind} ${new Date(slot).toISOString()}: ${reason ?? outcome}`
    const isSuspended = suspended().has(fileName)
    if (isSuspended && (askedWhile.get(dagRunId) ?? wasSuspended).has(fileName) && outcome === 'fired')
      findings.add('11.14 suspended: no start, stop or restart schedule fires', says)
    if (reason === 'suspended' && !isSuspended && !wasSuspended.has(fileName))
      findings.add('11.14 it goes on when it is no longer suspended', says)
    if (reason === 'missed') return
    // One that took its time may be of a definition that has changed since, even before the latest tick.
    if (now() !== tickedAt && hasChanged(fileName)) return
    if (!definition) {
      findings.add('11.15 a definition that has gone has no schedule', says)
      return
    }
    if (!fired(definition.rhythms[kind], slot))
      findings.add(
        '11.1 to 11.5 it fires when its expressions say so',
        `${says}, ${definition.plan.schedule[kind].join(' | ')}`
      )
    if (slot !== minute && !isOfThisMinute(slot) && !catchup && kind !== 'start' && reason !== 'decided')
      findings.add('11.13 only the current minute is considered', says)
    // It is unknown when a refused start was requested: the answer may have come late.
    if (slot < minute && !catchup && reason !== 'decided' && reason !== 'limit' && isFresh(decision))
      findings.add('11.13 missed minutes are not backfilled', says)
    if (catchup && catchup !== definition.plan.catchup) findings.add('catchup is as the definition says', says)
    if (kind === 'start') {
      const { start } = definition.rhythms
      checkStart(decision, catchup ? start : start.filter((rhythm) => fires(rhythm, slot, zone)))
    }
    if (kind !== 'start' && reason === 'nothing_running' && facts.get(fileName)?.at === now())
      if (facts.get(fileName)?.newest?.status === 'running') findings.add('11.10 stop: all running runs', says)
  }

  function settled({ fileName, kind, slot, outcome, catchup }: ScheduleDecision): void {
    if (outcome === 'skipped') {
      counts.skipped++
      return
    }
    counts.fired++
    if (catchup) counts.backfilled++
    const id = `${fileName}/${kind}/${slot}`
    if (slots.has(id)) findings.add('P15 a schedule slot fires at most once', `${id} ${new Date(slot).toISOString()}`)
    slots.add(id)
  }

  function restarted({ scheduling }: Changes, changed: Changes['runs']): void {
    for (const { fileName, kind, outcome, dagRunId } of scheduling.decisions.values()) {
      const isKept = [...scheduling.restarts.values()].some(({ value }) => value?.dagRunId === dagRunId)
      if (kind === 'restart' && outcome === 'fired' && !isKept)
        findings.add('11.11 a restart outlives the engine', `${fileName} ${dagRunId} is not stored`)
    }
    for (const { key, value } of scheduling.restarts.values()) {
      if (!value) continue
      counts.restarts++
      const old = runs().get(key.join('/'))?.record
      const ended = old && hasEnded(old) ? { endedAt: old.finishedAt ?? 0 } : {}
      restarts.set(key.join('/'), { waitMs: value.waitMs, ...ended })
    }
    for (const { value } of changed.values()) {
      const known = restarts.get(idOf(value.record))
      if (known && hasEnded(value.record))
        known.endedAt = Math.min(known.endedAt ?? Number.POSITIVE_INFINITY, value.record.finishedAt ?? 0)
    }
    for (const { key, value } of scheduling.restarts.values()) {
      if (value) continue
      const [name, dagRunId] = key
      const known = restarts.get(key.join('/'))
      restarts.delete(key.join('/'))
      const { endedAt } = known ?? {}
      const begun = [...changed.values()]
        .map(({ value: { record } }) => record)
        .filter((record) => record.name === name)
      const fresh = begun.find((record) => record.dagRunId !== dagRunId && !runs().has(idOf(record)))
      if (!fresh || !known) findings.add('11.11 restart: a new run begins', key.join('/'))
      else if (endedAt === undefined) findings.add('11.11 restart: wait until it ended', key.join('/'))
      else if (fresh.createdAt < endedAt + known.waitMs)
        findings.add('11.11 restart: wait restartWaitSec', `${key.join('/')} ${fresh.createdAt} ${endedAt}`)
    }
  }

  return {
    counts,
    ticked() {
      counts.ticks++
      tickedAt = now()
      seeDefinitions()
      const next = Math.floor(now() / MINUTE) * MINUTE
      if (next === minute) return // the clock was set back a little: this minute has been looked at
      minute = next
      if (minute > undisturbed && now() > minute)
        findings.add('11.5 the scheduler ticks at second 0 of each minute', `${now() - minute} ms late`)
      for (const [fileName, { rhythms }] of definitions())
        for (const kind of KINDS) if (fired(rhythms[kind], minute)) due.set(`${fileName}/${kind}/${minute}`, kind)
    },
    looked() {
      wasSuspended = new Set(suspended())
      facts.clear()
      if (now() !== tickedAt) return // it waited for the disk, and sees what was in the store by then
      for (const [fileName, { plan }] of definitions()) {
        const newest = newestOf(plan.name)
        facts.set(fileName, { at: now(), ...(newest ? { newest } : {}) })
      }
    },
    asked(fileName, dagRunId) {
      askedAt.set(dagRunId, now())
      askedWhile.set(dagRunId, wasSuspended)
      const { catchup } = definitions().get(fileName)?.plan ?? {}
      wanted.set(dagRunId, catchup === 'none' && !hasChanged(fileName) ? `${fileName} ${minute}` : '')
    },
    told(decision) {
      due.delete(`${decision.fileName}/${decision.kind}/${decision.slot}`)
      checkDecision(decision)
    },
    turn(changes) {
      for (const decision of changes.scheduling.decisions.values()) settled(decision)
      for (const { value } of changes.runs.values()) {
        const { dagRunId } = value.record
        const slot = wanted.get(dagRunId)
        if (!slot || runs().has(idOf(value.record))) continue
        if (slots.has(slot)) findings.add('P15 a schedule slot fires at most once', `${slot} has two runs`)
        slots.add(slot)
      }
      restarted(changes, changes.runs)
    },
    quiet() {
      const latest = Math.floor(now() / MINUTE) * MINUTE
      if (latest > undisturbed && minute < latest)
        findings.add('11.5 the scheduler ticks at second 0 of each minute', `not in ${new Date(latest).toISOString()}`)
      for (const id of due.keys()) findings.add('11.1 every minute that is due is decided', id)
      due.clear()
    },
    forget() {
      due.clear()
      facts.clear()
      minute = Number.NEGATIVE_INFINITY
    },
    lost(store, transactions) {
      const isSettled = (fileName: string, kind: ScheduleKind, slot: number) =>
        store.slots.get(fileName)?.decided[kind]?.includes(slot) ?? false
      for (const { runs, scheduling } of transactions) {
        for (const { fileName, kind, slot } of scheduling.decisions.values())
          if (!isSettled(fileName, kind, slot)) slots.delete(`${fileName}/${kind}/${slot}`)
        for (const { value } of runs.values()) {
          const slot = wanted.get(value.record.dagRunId)
          const [fileName = '', minute] = slot?.split(' ') ?? []
          if (slot && !isSettled(fileName, 'start', Number(minute))) slots.delete(slot)
        }
      }
      const owed = Array.from(store.restarts.getRange(), ({ key: [name, dagRunId], value: { waitMs } }) => {
        const old = store.runs.get([name, dagRunId])?.record
        const ended = old && hasEnded(old) ? { endedAt: old.finishedAt ?? 0 } : {}
        return [`${name}/${dagRunId}`, { waitMs, ...ended }] as const
      })
      restarts.clear()
      for (const [id, restart] of owed) restarts.set(id, restart)
    },
    disturbed() {
      undisturbed = now() + LONGEST_WAIT_MS
    },
    over() {
      for (const id of restarts.keys()) findings.add('11.11 restart: a new run begins', `${id}: none has begun`)
    }
  }
}
