/** What schedules promise, checked at each tick and each decision. Source: execution-semantics 11; reliability P15. */
import type { ScheduleDecision, ScheduleKind } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../../src/store/changes.ts'
import type { Store } from '../../../src/store/open.ts'
import type { Findings } from '../findings.ts'
import { idOf } from './queues.ts'
import { openRestartRules } from './restarts.ts'
import { decisionRules } from './schedule-decisions.ts'
import { MINUTE, openScheduleView, type Schedule } from './schedule-view.ts'

export interface ScheduleRules {
  /** The scheduler looks at a minute. */
  ticked(): void
  /** It gathers what it knows about what is due. */
  looked(): void
  /** It asks for a run of this definition. */
  asked(fileName: string, dagRunId: string): void
  decided(decision: ScheduleDecision): void
  /** Called before the runs are notified. */
  committed(changes: Changes): void
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

const KINDS: ScheduleKind[] = ['start', 'stop', 'restart']

export function openScheduleRules(findings: Findings, schedule: Schedule): ScheduleRules {
  const { now, definitions, runs } = schedule
  const view = openScheduleView(schedule)
  const checkDecision = decisionRules(findings, view)
  const restarts = openRestartRules(findings, runs)
  const counts = { ticks: 0, fired: 0, skipped: 0, backfilled: 0 }
  const due = new Set<string>()
  const slots = new Set<string>()
  /** Runs that the scheduler asked for, by run id; the slot that is known of it. */
  const wanted = new Map<string, string>()

  function count({ fileName, kind, slot, outcome, catchup }: ScheduleDecision): void {
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

  return {
    get counts() {
      return { ...counts, restarts: restarts.count }
    },
    ticked() {
      counts.ticks++
      if (!view.ticked()) return
      const { minute, undisturbed } = view
      if (minute > undisturbed && now() > minute)
        findings.add('11.5 the scheduler ticks at second 0 of each minute', `${now() - minute} ms late`)
      for (const [fileName, { rhythms }] of definitions())
        for (const kind of KINDS) if (view.fired(rhythms[kind], minute)) due.add(`${fileName}/${kind}/${minute}`)
    },
    looked: view.looked,
    asked(fileName, dagRunId) {
      view.asked(dagRunId)
      const { catchup } = definitions().get(fileName)?.plan ?? {}
      wanted.set(dagRunId, catchup === 'none' && !view.hasChanged(fileName) ? `${fileName} ${view.minute}` : '')
    },
    decided(decision) {
      due.delete(`${decision.fileName}/${decision.kind}/${decision.slot}`)
      checkDecision(decision)
    },
    committed(changes) {
      for (const decision of changes.scheduling.decisions.values()) count(decision)
      for (const { value } of changes.runs.values()) {
        const { dagRunId } = value.record
        const slot = wanted.get(dagRunId)
        if (!slot || runs().has(idOf(value.record))) continue
        if (slots.has(slot)) findings.add('P15 a schedule slot fires at most once', `${slot} has two runs`)
        slots.add(slot)
      }
      restarts.committed(changes)
    },
    quiet() {
      const latest = Math.floor(now() / MINUTE) * MINUTE
      if (latest > view.undisturbed && view.minute < latest)
        findings.add('11.5 the scheduler ticks at second 0 of each minute', `not in ${new Date(latest).toISOString()}`)
      for (const id of due) findings.add('11.1 every minute that is due is decided', id)
      due.clear()
    },
    forget() {
      due.clear()
      view.forget()
    },
    lost(store, transactions) {
      const isDecided = (fileName: string, kind: ScheduleKind, slot: number) =>
        store.slots.get(fileName)?.decided[kind]?.includes(slot) ?? false
      for (const { runs, scheduling } of transactions) {
        for (const { fileName, kind, slot } of scheduling.decisions.values())
          if (!isDecided(fileName, kind, slot)) slots.delete(`${fileName}/${kind}/${slot}`)
        for (const { value } of runs.values()) {
          const slot = wanted.get(value.record.dagRunId)
          const [fileName = '', minute] = slot?.split(' ') ?? []
          if (slot && !isDecided(fileName, 'start', Number(minute))) slots.delete(slot)
        }
      }
      restarts.lost(store)
    },
    disturbed: view.disturbed,
    over: restarts.over
  }
}
