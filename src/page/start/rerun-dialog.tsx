/** A new run with the definition of an earlier one and its parameters, of which some may be changed. */
import { useState } from 'preact/hooks'
import { ask, pathOf } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { go, runLink } from '../route.ts'
import { CurlPart, ParamPart } from './param-part.tsx'
import { useParams } from './use-params.ts'

interface Props {
  name: string
  dagRunId: string
  onClose: () => void
}

export function RerunDialog({ name, dagRunId, onClose }: Props) {
  const run = `/dag-runs${pathOf(name, dagRunId)}`
  const state = useParams(`${run}/params`)
  const { isBusy, act } = useAction()
  const [newId, setId] = useState('')
  const where = `${run}/reschedule`
  const body = {
    ...(state.params === undefined ? {} : { params: state.params }),
    ...(newId === '' ? {} : { dagRunId: newId })
  }
  const rerun = () =>
    act(async () => {
      const answer = await ask<{ dagRunId: string }>(where, { method: 'POST', body })
      onClose()
      go(runLink({ name, dagRunId: answer.dagRunId }))
      return state.params === undefined
        ? 'This is a new run with the same definition and parameters.'
        : 'This is a new run with the same definition and other parameters.'
    })
  // The first field has the focus once the params are there.
  if (!state.answered.value && !state.answered.refusal) return null
  return (
    <Dialog
      title={`Rerun ${name} with…`}
      yes="Rerun"
      isBusy={isBusy || !state.answered.value}
      onYes={() => void rerun()}
      onClose={onClose}
    >
      <p class="soft">The definition is that of the earlier run, whatever has become of it since.</p>
      <ParamPart state={state} isLocked={false} />
      <label class="field">
        Run ID
        <input
          class="mono"
          value={newId}
          placeholder="Chosen by the server"
          onInput={({ currentTarget }) => setId(currentTarget.value)}
        />
      </label>
      <CurlPart path={where} body={body} />
    </Dialog>
  )
}
