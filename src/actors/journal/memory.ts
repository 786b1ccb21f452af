/**
 * What the journal records of an actor's context: the changes of each transition, so that the context at any event can be
 * reconstructed from the journal and the plan alone. Source: architecture 1, 9; docs/inspect.md.
 */
import type { AnyMachineSnapshot } from 'xstate'
import { BLANK_NODE } from '../../../machines/node/node-context.ts'
import type { NodeContext } from '../../../machines/node.ts'
import type { JournalRecord, NodeRecord, RetryPlan } from '../../../machines/vocabulary.ts'
import type { OpenRun } from '../root/open-run.ts'

type Memory = Record<string, unknown>

/** Initial values, which are not recorded. */
const BLANK: Memory = { ...BLANK_NODE, handlerFailed: false }

// D901, D902: the journal records what each transition changed in the context
/**
 * What to record of a transition.
 * @param leftOut members that follow from the plan, from nodes or from other entries of the store; and outputs, which may be large
 * @param isKnown the journal already has the context of `from`; otherwise all of `to` is recorded
 */
export function remembered(
  leftOut: ReadonlySet<string>,
  from: AnyMachineSnapshot | undefined,
  to: AnyMachineSnapshot,
  isKnown: true | undefined
): Pick<JournalRecord, 'context' | 'whole'> {
  const before: Memory = from && isKnown ? from.context : BLANK
  const after: Memory = to.context
  let changes: Memory | undefined
  for (const name in after) {
    const value = after[name]
    if (value === before[name] || leftOut.has(name)) continue
    if (name === 'retry' && isAsWritten(to.context)) continue
    changes ??= {}
    changes[name] = value ?? null
  }
  return from && !isKnown ? { context: changes ?? {}, whole: true } : changes === undefined ? {} : { context: changes }
}

/** A retry policy without variables is already in the plan. */
const isAsWritten = ({ retry, step }: NodeContext): boolean =>
  retry === step.retry ||
  Object.entries(retry ?? {}).every(([name, value]) => step.retry[name as keyof RetryPlan] === value) // names of `retry`

/** The nodes with which a run begins that goes on from an earlier one. */
export function keptNodes({ seed }: OpenRun): Pick<JournalRecord, 'kept'> {
  return seed && seed.size > 0 ? { kept: Array.from(seed, ([place, node]) => [place, brief(node)]) } : {}
}

/** Without large values and file paths. */
function brief({
  output: _output,
  outputMarks: _marks,
  thrown: _thrown,
  stdout: _stdout,
  stderr: _stderr,
  ...node
}: NodeRecord): NodeRecord {
  return node
}
