/** When a step was running and when it was waiting: the time that its chart spent in each state, from the journal. */
import type { JournalEvent, NodeLabel } from '../../answers.ts'
import { eventAt } from '../journal/event-text.ts'

export interface Bar {
  /** Epoch ms; `until` undefined: not over yet. */
  from: number
  until?: number
  /** Path of the state, such as `attempting.executing`. */
  state: string
  /** `attempt`: an execution, from begin to end; `wait`: between two, or before the first. */
  kind: 'attempt' | 'wait'
  /** How an execution ended; undefined: a pass of a repeating step, of which only the last decides. */
  label?: NodeLabel
}

const ATTEMPT = /^attempting\b/
const kindOf = (state: string): Bar['kind'] => (ATTEMPT.test(state) ? 'attempt' : 'wait')

/** @param upTo `seq` of the latest event that counts */
export function barsOf(events: readonly JournalEvent[], upTo: number): Map<string, Bar[]> {
  const bars = new Map<string, Bar[]>()
  for (const event of events) {
    if (event.seq > upTo) break
    const { step, to, from, statusLabel } = event
    // The label of an event about a step is that of its node. Calls are separate actors within a node.
    if (step === undefined || statusLabel === undefined || (from === to && from !== '')) continue
    const all = bars.get(step) ?? []
    bars.set(step, all)
    const [at, label, kind] = [eventAt(event), statusLabel as NodeLabel, kindOf(to)]
    const last = all.at(-1)
    const isOpen = last !== undefined && last.until === undefined
    if (isOpen && from !== '' && last.kind === 'attempt' && kind === 'attempt') {
      // The execution is being stopped: it is still the same one.
      last.state = to
      last.label = label
      continue
    }
    if (isOpen) end(last, at, to, label)
    // A final state has no duration.
    if (label === 'running' || label === 'not_started') all.push({ from: at, state: to, kind, label })
  }
  return bars
}

function end(bar: Bar, at: number, to: string, label: NodeLabel): void {
  bar.until = at
  if (bar.kind === 'wait') return
  if (to === 'waiting') bar.label = 'failed'
  else if (label === 'running') delete bar.label
  else bar.label = label
}
