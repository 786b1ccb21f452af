/** Whether a schedule fires or is skipped as it must, by what the scheduler knew. Source: execution-semantics 11. */
import type { ScheduleDecision } from '../../../machines/vocabulary.ts'
import type { Findings } from '../findings.ts'
import type { Rhythm } from './calendar.ts'
import { MINUTE, type ScheduleView } from './schedule-view.ts'

/** @returns the check of a decision */
export function decisionRules(findings: Findings, view: ScheduleView): (decision: ScheduleDecision) => void {
  const { now, definitions, suspended, fired, hasChanged, isFresh, isOfThisMinute } = view

  /** The rules of a start. */
  function checkStart(decision: ScheduleDecision, rhythms: Rhythm[]): void {
    const { fileName, slot, outcome, reason, catchup } = decision
    const known = view.factsOf(fileName)
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
    if (isSuspended && view.wasSuspendedWhenAsked(fileName, dagRunId) && outcome === 'fired')
      findings.add('11.14 suspended: no start, stop or restart schedule fires', says)
    if (reason === 'suspended' && !isSuspended && !view.wasSuspended(fileName))
      findings.add('11.14 it goes on when it is no longer suspended', says)
    if (reason === 'missed') return
    // One that took its time may be of a definition that has changed since, even before the latest tick.
    if (now() !== view.tickedAt && hasChanged(fileName)) return
    if (!definition) {
      findings.add('11.15 a definition that has gone has no schedule', says)
      return
    }
    if (!fired(definition.rhythms[kind], slot))
      findings.add(
        '11.1 to 11.5 it fires when its expressions say so',
        `${says}, ${definition.plan.schedule[kind].join(' | ')}`
      )
    if (slot !== view.minute && !isOfThisMinute(slot) && !catchup && kind !== 'start' && reason !== 'decided')
      findings.add('11.13 only the current minute is considered', says)
    // It is unknown when a refused start was requested: the answer may have come late.
    if (slot < view.minute && !catchup && reason !== 'decided' && reason !== 'limit' && isFresh(decision))
      findings.add('11.13 missed minutes are not backfilled', says)
    if (catchup && catchup !== definition.plan.catchup) findings.add('catchup is as the definition says', says)
    if (kind === 'start') {
      const { start } = definition.rhythms
      checkStart(decision, catchup ? start : start.filter((rhythm) => fired([rhythm], slot)))
    }
    if (kind !== 'start' && reason === 'nothing_running' && view.factsOf(fileName)?.at === now())
      if (view.factsOf(fileName)?.newest?.status === 'running') findings.add('11.10 stop: all running runs', says)
  }

  return checkDecision
}
