/** What a visitor may do about one step of a run that has ended. */
import { useState } from 'preact/hooks'
import { downstreamOf } from '../../../../machines/policy/retried.ts'
import { type NodeStatus, type RunDetails, SETTABLE } from '../../answers.ts'
import { pathOf, send } from '../../api.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { useAction } from '../../parts/notices.tsx'
import { useRefusal } from '../../session.ts'
import { labelText, statusText } from '../../text.ts'
import type { NodeMoment } from '../moment.ts'
import { ENDED } from '../run-actions.tsx'

interface Props {
  details: RunDetails
  node: NodeMoment
  isPast: boolean
  onChanged: () => void
}

export function NodeActions({ details, node, isPast, onChanged }: Props) {
  const { isBusy, act } = useAction(onChanged)
  const [label, setLabel] = useState<NodeStatus>('succeeded')
  const mayNot = useRefusal('run')
  const { name, dagRunId, rootDAGRunName, rootDAGRunId } = details
  const isSub = details.parentDAGRunId !== ''
  const refusal =
    mayNot ??
    (isPast
      ? 'You are looking at the past. Return to now first.'
      : ENDED.has(details.statusLabel)
        ? undefined
        : 'The run has not ended.')
  if (node.isHandler) return null
  const run = `/dag-runs${pathOf(name, dagRunId)}`
  const owner = isSub ? `/dag-runs${pathOf(rootDAGRunName, rootDAGRunId)}/sub-dag-runs${pathOf(dagRunId)}` : run
  const again = () =>
    act(async () => {
      await send(`${run}/retry`, { method: 'POST', body: { dagRunId, stepName: node.name } })
      onChanged()
      return `Rerunning ${node.name}.`
    })
  const onward = () =>
    act(async () => {
      const body = { dagRunId, stepName: node.name, includeDownstream: true }
      await send(`${run}/retry`, { method: 'POST', body })
      onChanged()
      return `The run continues from ${node.name}.`
    })
  const set = () =>
    act(async () => {
      const status = SETTABLE.indexOf(label)
      await send(`${owner}/steps${pathOf(node.name)}/status`, { method: 'PATCH', body: { status } })
      onChanged()
      return `${node.name} is ${labelText(label)} now.`
    })
  return (
    <section class="node-actions" aria-label="Actions on the step">
      <ActionButton
        refusal={refusal ?? (isSub ? 'A sub run is retried with its root run.' : undefined)}
        isBusy={isBusy}
        kind="small"
        onAct={again}
      >
        Rerun step
      </ActionButton>
      <ActionButton
        refusal={refusal ?? (isSub ? 'A sub run is retried with its root run.' : undefined)}
        isBusy={isBusy}
        kind="small"
        onAct={onward}
      >
        Rerun from here
      </ActionButton>
      {refusal === undefined && !isSub && <span class="soft">{previewOf(details, node.name)}</span>}
      <span class="set-status">
        <label>
          <span class="unseen">New status</span>
          <select
            value={label}
            onChange={({ currentTarget }) => setLabel(SETTABLE[currentTarget.selectedIndex] ?? label)}
          >
            {SETTABLE.map((it) => (
              <option key={it} value={it}>
                {statusText(it)}
              </option>
            ))}
          </select>
        </label>
        <ActionButton refusal={refusal} isBusy={isBusy} kind="small" onAct={set}>
          Set status
        </ActionButton>
      </span>
    </section>
  )
}

/** Steps that are named in the preview. */
const MOST_NAMED = 5

/** What “Rerun from here” resets. */
function previewOf({ nodes }: RunDetails, from: string): string {
  const steps = nodes.map(({ step: { name = '', depends = [] } }) => ({ name, depends }))
  const names = downstreamOf(
    steps,
    steps.findIndex(({ name }) => name === from)
  ).flatMap((index) => steps[index]?.name ?? [])
  if (names.length === 1) return `From here: only ${from}, as no step depends on it.`
  const more = names.length - MOST_NAMED
  const rest = more > 0 ? ` and ${more} more` : ''
  return `From here: ${names.length} steps, ${names.slice(0, MOST_NAMED).join(', ')}${rest}. Other branches stay.`
}
