/** The questions before several runs are stopped or retried, and what is done then: run by run; what is refused is named. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RunSummary } from '../answers.ts'
import { pathOf, send } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { labelText, markOf } from '../text.ts'

const running = (runs: readonly RunSummary[]) => runs.filter(({ statusLabel }) => statusLabel === 'running')
const waiting = (runs: readonly RunSummary[]) => runs.filter(({ statusLabel }) => statusLabel === 'queued')
export const count = (many: number) => (many === 1 ? '1 run' : `${many} runs`)

/** `Stop 2 runs`, `Remove 1 run from the queue`, or both. @param runs that are running or queued */
export function stopText(runs: readonly RunSummary[]): string {
  const [stops, removes] = [running(runs).length, waiting(runs).length]
  const stop = `Stop ${count(stops)}`
  if (removes === 0) return stop
  return stops === 0 ? `Remove ${count(removes)} from the queue` : `${stop}, remove ${removes} from the queue`
}

function stoppedText(runs: readonly RunSummary[]): string {
  const [stops, removes] = [running(runs).length, waiting(runs).length]
  const stopped = stops > 0 ? `Asked ${count(stops)} to stop.` : ''
  return removes > 0 ? `${stopped} Removed ${count(removes)} from the queue.`.trim() : stopped
}

interface Props {
  /** Newest first. The list goes on meanwhile; what was asked about stays. */
  runs: readonly RunSummary[]
  /** @param done those for which it was done; undefined: nothing was asked of the server */
  onClose: (done?: readonly RunSummary[]) => void
}

export function StopAllDialog({ runs, onClose }: Props) {
  const [those] = useState(runs)
  const [isForced, setForced] = useState(false)
  const stop = ({ name, dagRunId, statusLabel }: RunSummary) =>
    send(`/dag-runs${pathOf(name, dagRunId)}/${statusLabel === 'queued' ? 'dequeue' : 'stop'}`, {
      method: 'POST',
      body: isForced && statusLabel === 'running' ? { force: true } : {}
    })
  return (
    <BulkDialog
      title={stopText(those)}
      isGrave
      runs={those}
      // D1297: several runs are stopped one after the other, what waits first
      // First what waits, the last of a queue before those ahead of it: else the queue would start what is to be removed.
      inOrder={[...waiting(those), ...running(those)]}
      doOne={stop}
      done={stoppedText(those)}
      onClose={onClose}
    >
      {running(those).length > 0 && (
        <>
          <p>
            Steps receive their stop signal and get time to clean up. Cancel and exit handlers still run to their end.
          </p>
          <label class="check">
            <input
              type="checkbox"
              checked={isForced}
              onChange={({ currentTarget }) => setForced(currentTarget.checked)}
            />
            Kill running steps, including handlers
          </label>
        </>
      )}
    </BulkDialog>
  )
}

/** @param others selected too, but not to be retried */
export function RetryAllDialog({ runs, others, onClose }: Props & { others: readonly RunSummary[] }) {
  const [those] = useState(runs)
  const [left] = useState(others)
  const retry = ({ name, dagRunId }: RunSummary) =>
    send(`/dag-runs${pathOf(name, dagRunId)}/retry`, { method: 'POST', body: { dagRunId } })
  return (
    <BulkDialog
      title={`Retry ${count(those.length)}`}
      runs={those}
      inOrder={[...those].reverse()}
      doOne={retry}
      done={`${those.length === 1 ? '1 run continues' : `${those.length} runs continue`} from where they failed.`}
      onClose={onClose}
    >
      <p>
        Each continues from where it failed; what has succeeded is not run again. What its definition has no room for
        now (maxActiveRuns) is refused, and stays selected.
      </p>
      {left.length > 0 && (
        <>
          <p>Not retried, because they have not ended:</p>
          <Named runs={left} />
        </>
      )}
    </BulkDialog>
  )
}

interface BulkProps extends Props {
  /** Title of the dialog, and of the button that confirms. */
  title: string
  isGrave?: boolean
  inOrder: readonly RunSummary[]
  /** @throws Refusal, as when its status is another one meanwhile */
  doOne: (run: RunSummary) => Promise<unknown>
  /** What is said when all was done. */
  done: string
  children: ComponentChildren
}

function BulkDialog({ title, isGrave = false, runs, inOrder, doOne, done, onClose, children }: BulkProps) {
  const { isBusy, act } = useAction()
  const doAll = async () => {
    const doneFor: RunSummary[] = []
    await act(async () => {
      const refused: string[] = []
      for (const run of inOrder)
        await doOne(run).then(
          () => doneFor.push(run),
          (error: Error) => refused.push(`${run.name} ${run.dagRunId}: ${error.message}`)
        )
      if (refused.length === 0) return done
      throw new Error(`Done for ${doneFor.length} of ${runs.length}. ${refused.join(' ')}`)
    })
    onClose(doneFor)
  }
  return (
    <Dialog
      title={`${title}?`}
      yes={title}
      isGrave={isGrave}
      isBusy={isBusy}
      onClose={() => onClose()}
      onYes={() => void doAll()}
    >
      <Named runs={runs} />
      {children}
    </Dialog>
  )
}

/** Names in the question. */
const MOST_NAMED = 8

const Named = ({ runs }: { runs: readonly RunSummary[] }) => (
  <ul class="asked-about">
    {runs.slice(0, MOST_NAMED).map((run) => (
      <li key={`${run.name}/${run.dagRunId}`}>
        {run.name} <span class="soft mono">{run.dagRunId}</span> <span class="soft">{labelText(markOf(run))}</span>
      </li>
    ))}
    {runs.length > MOST_NAMED && <li class="soft">and {runs.length - MOST_NAMED} more</li>}
  </ul>
)
