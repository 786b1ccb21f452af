/** Asks for parameters, then starts or enqueues a run. */
import { useEffect, useState } from 'preact/hooks'
import type { DagDetails } from '../answers.ts'
import { ask, pathOf } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { go, runLink } from '../route.ts'
import { useAnswer } from '../use-answer.ts'

export function StartDialog({ fileName, onClose }: { fileName: string; onClose: () => void }) {
  const path = `/dags${pathOf(fileName)}`
  const { value, refusal } = useAnswer<{ dag: DagDetails }>(path)
  const { isBusy, act } = useAction()
  const [params, setParams] = useState<string>()
  const [dagRunId, setId] = useState('')
  const [isQueued, setQueued] = useState(false)
  const initial = params ?? value?.dag.defaultParams ?? ''
  const { disableParamEdit = false, disableRunIdEdit = false } = value?.dag.runConfig ?? {}
  useEffect(() => setParams(undefined), [fileName])
  const start = () =>
    act(async () => {
      const body = {
        ...(params === undefined || params === value?.dag.defaultParams ? {} : { params }),
        ...(dagRunId === '' ? {} : { dagRunId })
      }
      const answer = await ask<{ dagRunId: string }>(`${path}/${isQueued ? 'enqueue' : 'start'}`, {
        method: 'POST',
        body
      })
      onClose()
      go(runLink({ name: value?.dag.name ?? fileName, dagRunId: answer.dagRunId }))
      return isQueued ? 'The run is queued.' : 'The run has started.'
    })
  return (
    <Dialog
      title={`Start ${value?.dag.name ?? fileName}`}
      yes={isQueued ? 'Enqueue' : 'Start'}
      isBusy={isBusy || !value}
      onYes={() => void start()}
      onClose={onClose}
    >
      <Problem refusal={refusal} />
      <label class="field">
        Parameters
        <input
          class="mono"
          value={initial}
          disabled={disableParamEdit}
          placeholder="KEY=value"
          onInput={({ currentTarget }) => setParams(currentTarget.value)}
        />
      </label>
      {!disableRunIdEdit && (
        <label class="field">
          Run ID
          <input
            class="mono"
            value={dagRunId}
            placeholder="Chosen by the server"
            onInput={({ currentTarget }) => setId(currentTarget.value)}
          />
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={isQueued} onChange={({ currentTarget }) => setQueued(currentTarget.checked)} />
        Wait in queue {value?.dag.queue || ''} for a free slot
      </label>
    </Dialog>
  )
}
