/** Asks for parameters, then starts or enqueues a run, or only checks whether it could be started. */
import { useState } from 'preact/hooks'
import type { DagDetails } from '../answers.ts'
import { ask, pathOf, Refusal, refusalOf } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { LongText } from '../parts/long-text.tsx'
import { useAction } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { go, runLink } from '../route.ts'
import { useAnswer } from '../use-answer.ts'
import type { ParamForm } from './param-fields.ts'
import { CurlPart, ParamPart } from './param-part.tsx'
import { useParams } from './use-params.ts'

/** What a dry run has come to. */
interface Tried {
  isFine: boolean
  text: string
}
interface Started {
  dagRunId: string
  warnings?: string[]
  waitsFor?: string[]
}

/** What holds a run, in words. */
const HOLDS: Readonly<Record<string, string>> = {
  not_before: 'its time has not come',
  queue_full: 'its queue is full',
  max_active_runs: 'as many runs are running as maxActiveRuns allows',
  no_worker: 'it needs a worker'
}

export function StartDialog({ fileName, onClose }: { fileName: string; onClose: () => void }) {
  const path = `/dags${pathOf(fileName)}`
  const { value, refusal } = useAnswer<{ dag: DagDetails }>(path)
  const state = useParams(`${path}/params`)
  const { isBusy, act } = useAction()
  const [dagRunId, setId] = useState('')
  const [isQueued, setQueued] = useState(false)
  const [notBefore, setNotBefore] = useState('')
  const [priority, setPriority] = useState('')
  const [tried, setTried] = useState<Tried>()
  const { disableParamEdit = false, disableRunIdEdit = false } = value?.dag.runConfig ?? {}
  const { params } = state
  const where = `${path}/${isQueued ? 'enqueue' : 'start'}`
  const body = {
    ...(params === undefined ? {} : { params }),
    ...(dagRunId === '' ? {} : { dagRunId }),
    ...(isQueued && notBefore.trim() !== '' ? { at: notBefore.trim() } : {}),
    ...(isQueued && priority !== '' ? { priority: Number(priority) } : {})
  }
  const name = value?.dag.name ?? fileName
  const start = () =>
    act(async () => {
      const answer = await ask<Started>(where, { method: 'POST', body })
      onClose()
      go(runLink({ name, dagRunId: answer.dagRunId }))
      return isQueued ? 'The run is queued.' : 'The run has started.'
    })
  /** The answer is shown here: a notice would be behind the dialog. */
  const tryOut = () =>
    ask<Started>(where, { method: 'POST', body: { ...body, dryRun: true } }).then(
      ({ warnings = [], waitsFor = [] }) => {
        const waits = waitsFor.map((hold) => HOLDS[hold] ?? hold).join(', ')
        const would = waits === '' ? 'the run would start' : `the run would wait: ${waits}`
        setTried({ isFine: true, text: [`Nothing is wrong: ${would}.`, ...warnings].join('\n') })
      },
      (error: unknown) => setTried({ isFine: false, text: refusalOf(error).message })
    )
  const fillFromLast = () =>
    act(async () => {
      try {
        state.fill((await ask<ParamForm>(`/dag-runs${pathOf(name, 'latest')}/params`)).params)
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) throw new Error(`${name} has never run.`)
        throw error
      }
      return 'These are the parameters of the last run.'
    })
  // The first field has the focus once the params are there.
  if (!state.answered.value && !state.answered.refusal) return null
  return (
    <Dialog
      title={`Start ${name}`}
      yes={isQueued ? 'Enqueue' : 'Start'}
      isBusy={isBusy || !value || !state.answered.value}
      onYes={() => void start()}
      onClose={onClose}
    >
      <Problem refusal={refusal} />
      <ParamPart state={state} isLocked={disableParamEdit} />
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
      {isQueued && (
        <>
          <label class="field">
            Not before
            <input
              class="mono"
              value={notBefore}
              placeholder="At once; +10m, or 2026-11-01T02:00:00+01:00"
              onInput={({ currentTarget }) => setNotBefore(currentTarget.value)}
            />
          </label>
          <label class="field">
            Priority
            <input
              type="number"
              min={-1000}
              max={1000}
              value={priority}
              placeholder="That of the definition, or 0"
              onInput={({ currentTarget }) => setPriority(currentTarget.value)}
            />
          </label>
        </>
      )}
      <div class="start-tools">
        {!disableParamEdit && (
          <button type="button" class="button small" disabled={isBusy} onClick={() => void fillFromLast()}>
            As the last run had
          </button>
        )}
        <button type="button" class="button small" disabled={isBusy} onClick={() => void tryOut()}>
          Dry run
        </button>
      </div>
      {tried && (
        <div class={tried.isFine ? 'tried' : 'problem'} role="status">
          <LongText text={tried.text} label="Result of the dry run" />
        </div>
      )}
      <CurlPart path={where} body={body} />
    </Dialog>
  )
}
