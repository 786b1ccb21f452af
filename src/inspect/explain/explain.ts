/** The reasons of a run, its steps and handlers, derived from states of charts and from records. Source: docs/inspect.md. */
import { isUnreadable } from '../../store/damage/damaged.ts'
import type { PlacedStep } from '../contexts.ts'
import type { Reason } from '../inspection.ts'
import { reasonOfEnd } from './ended-node.ts'
import { lateEnds } from './lost-worker.ts'
import { runReasons } from './run.ts'
import { reasonFor, type Said, type Situation } from './situation.ts'
import { supersededStep } from './superseded.ts'
import { reasonNotStarted } from './unstarted-node.ts'
import { reasonAtWork } from './working-node.ts'

// D904: explanations are about the present
/** @param only a step or handler; absent: the run, then all of them */
export function explained(situation: Situation, only?: PlacedStep): Reason[] {
  const { record, retry } = situation
  const { name } = record
  const own = only ? [] : runReasons(situation)
  const nodes = (only ? [only] : situation.places).flatMap((placed) => {
    const kind = typeof placed.place === 'number' ? 'node' : 'handler'
    return nodeReasons(situation, placed).map((said) => reasonFor({ kind, name: placed.step.name }, said))
  })
  return [
    ...own.map((said) => reasonFor({ kind: 'run', name }, retry ? saidOf(`${retry.label} waits`, said) : said)),
    ...nodes
  ]
}

/** Why a run ended as it did, in one sentence: the reason of its first failed step, or else its own. */
export function whyEnded(situation: Situation): string | undefined {
  const first = situation.places.find((placed) => situation.node(placed).status === 'failed')
  return explained(situation, first)[0]?.text
}

const saidOf = (whose: string, said: Said): Said => ({ ...said, text: `${whose}: ${said.text}` })

/** Reasons of a waiting retry: the node waits with it, unless it is kept; and how it ended before. */
function nodeReasons(situation: Situation, placed: PlacedStep): Said[] {
  const { retry, state } = situation
  const said = retry && state.kept.has(placed.place) ? undefined : nodeReason(situation, placed)
  const { label = '', situation: before } = retry?.before ?? {}
  const earlier = before && nodeReason(before, placed)
  const actor = state.actors.get(placed.address)
  return [
    ...(said ? [said] : []),
    ...(actor ? lateEnds(actor, placed.step.name) : []),
    ...(earlier ? [{ ...saidOf(label, earlier), unblock: '' }] : []) // it is retried already
  ]
}

function nodeReason(situation: Situation, placed: PlacedStep): Said | undefined {
  const node = situation.node(placed)
  const actor = situation.state.actors.get(placed.address)
  const isOpen = node.status === 'running' || node.status === 'not_started'
  const superseded = isOpen ? supersededStep(situation, placed) : undefined
  if (superseded) return superseded
  if (actor && !actor.isGone && !situation.state.parked && !isUnreadable(node)) {
    const reason = reasonAtWork({ situation, placed, node, actor })
    if (reason) return reason
  }
  return node.status === 'not_started' ? reasonNotStarted(situation, placed) : reasonOfEnd({ situation, placed, node })
}
