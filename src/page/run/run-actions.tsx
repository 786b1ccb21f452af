/** Actions of a visitor on a run. Those that its status rules out are disabled. Source: http-api "States and transitions". */
import { useState } from 'preact/hooks'
import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { RunDetails, RunLabel } from '../answers.ts'
import { ask, pathOf, send } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { go, runLink } from '../route.ts'
import { useRefusal } from '../session.ts'
import { RerunDialog } from '../start/rerun-dialog.tsx'
import { labelText } from '../text.ts'

/** A run with such a status may be retried. */
export const ENDED: ReadonlySet<RunLabel> = new Set(RUN_ENDS)

export function RunActions({ details, onChanged }: { details: RunDetails; onChanged: () => void }) {
  const { name, dagRunId, statusLabel, parentDAGRunId } = details
  const { isBusy, act } = useAction(onChanged)
  const mayNot = useRefusal('run')
  const [isAsked, setAsked] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const path = `/dag-runs${pathOf(name, dagRunId)}`
  const isSub = parentDAGRunId !== ''
  const no = (isLegal: boolean, why: string) => mayNot ?? (isLegal ? undefined : why)
  const post = (where: string, done: string, body: object = {}) =>
    act(async () => {
      await send(path + where, { method: 'POST', body })
      onChanged()
      return done
    })
  const reschedule = () =>
    act(async () => {
      const answer = await ask<{ dagRunId: string }>(`${path}/reschedule`, { method: 'POST', body: {} })
      go(runLink({ name, dagRunId: answer.dagRunId }))
      return 'This is a new run with the same definition and parameters.'
    })
  const is = `The status of the run is “${labelText(statusLabel)}”.`
  const mayNotRerun = no(ENDED.has(statusLabel) && !isSub, isSub ? 'Only a root run can be rerun.' : is)
  return (
    <div class="buttons">
      {statusLabel === 'queued' ? (
        <ActionButton refusal={mayNot} isBusy={isBusy} onAct={() => post('/dequeue', 'Removed from the queue.')}>
          Remove from queue
        </ActionButton>
      ) : (
        <ActionButton
          kind="grave"
          refusal={no(statusLabel === 'running', is)}
          isBusy={isBusy}
          onAct={() => setAsked(true)}
        >
          Stop
        </ActionButton>
      )}
      <ActionButton
        refusal={no(ENDED.has(statusLabel) && !isSub, isSub ? 'A sub run is retried with its root run.' : is)}
        isBusy={isBusy}
        onAct={() => post('/retry', 'The run continues from where it failed.', { dagRunId })}
      >
        Retry
      </ActionButton>
      <ActionButton refusal={mayNotRerun} isBusy={isBusy} onAct={reschedule}>
        Rerun
      </ActionButton>
      <ActionButton refusal={mayNotRerun} isBusy={isBusy} onAct={() => setChanging(true)}>
        Rerun with…
      </ActionButton>
      {isChanging && <RerunDialog name={name} dagRunId={dagRunId} onClose={() => setChanging(false)} />}
      {isAsked && (
        <StopDialog
          name={name}
          isBusy={isBusy}
          onClose={() => setAsked(false)}
          onStop={(force) =>
            void post(
              '/stop',
              force ? 'Killing the running steps.' : 'Asked the run to stop.',
              force ? { force } : {}
            ).then(() => setAsked(false))
          }
        />
      )}
    </div>
  )
}

interface StopDialogProps {
  name: string
  isBusy: boolean
  /** @param force kills running steps, including handlers */
  onStop: (force: boolean) => void
  onClose: () => void
}

/** Asks before a run is stopped, and how. Source: execution-semantics 7.3.6. */
function StopDialog({ name, isBusy, onStop, onClose }: StopDialogProps) {
  const [isForced, setForced] = useState(false)
  return (
    <Dialog
      title={`Stop ${name}?`}
      yes={isForced ? 'Kill the run' : 'Stop the run'}
      isGrave
      isBusy={isBusy}
      onClose={onClose}
      onYes={() => onStop(isForced)}
    >
      <p>
        Its steps receive their stop signal and get time to clean up. The cancel and exit handlers still run to their
        end.
      </p>
      <label class="check">
        <input type="checkbox" checked={isForced} onChange={({ currentTarget }) => setForced(currentTarget.checked)} />
        Kill running steps, including handlers
      </label>
    </Dialog>
  )
}
