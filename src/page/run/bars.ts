/** When a step was at work and when it waited, read off the journal: the stretches that its chart spent in each state. */
import type { JournalEvent, NodeLabel } from '../answers.ts'
import { eventAt } from './event-text.ts'

export interface Bar {
  /** Epoch ms; `until` undefined: it still is. */
  from: number
  until?: number
  /** Path of the state, such as `attempting.executing`. */
  state: string
  label: NodeLabel
}

/** @param upTo `seq` of the latest event that counts */
export function barsOf(events: readonly JournalEvent[], upTo: number): Map<string, Bar[]> {
  const bars = new Map<string, Bar[]>()
  for (const event of events) {
    if (event.seq > upTo) break
    const { step, to, from, statusLabel } = event
    // The label of an event about a step is one of a node. Calls are actors of their own within a node.
    if (step === undefined || statusLabel === undefined || (from === to && from !== '')) continue
    const all = bars.get(step) ?? []
    const last = all.at(-1)
    const at = eventAt(event)
    if (last && last.until === undefined) last.until = at
    all.push({ from: at, state: to, label: statusLabel as NodeLabel })
    bars.set(step, all)
  }
  for (const [step, all] of bars) bars.set(step, all.filter(isStretch))
  return bars
}

/** A final state is no stretch of time. */
const isStretch = ({ label, until }: Bar) => label === 'running' || (until !== undefined && label === 'not_started')
