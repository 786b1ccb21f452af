/** Runs that were selected in a list, and what can be done to all of them: stop those that are running, remove from its queue what is waiting. */
import { useState } from 'preact/hooks'
import type { RunSummary } from '../answers/runs.ts'
import { pathOf, send } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { useRefusal } from '../session.ts'

export const keyOf = ({ name, dagRunId }: RunSummary): string => `${name}/${dagRunId}`

/** Nothing can be stopped of another one. */
const isMoving = ({ statusLabel }: RunSummary): boolean => statusLabel === 'running' || statusLabel === 'queued'

/** What the rows of a table need to be selected. */
export interface Choosing {
  chosen: ReadonlySet<string>
  /** Keys of the runs that can be. */
  able: ReadonlySet<string>
  onChoose: (keys: Iterable<string>, isChosen: boolean) => void
}

/** @returns undefined for a visitor who could do nothing with them */
export function useChoosing(runs: readonly RunSummary[]): Choosing | undefined {
  const mayNot = useRefusal('run')
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  if (mayNot !== undefined) return undefined
  const able = new Set(runs.filter(isMoving).map(keyOf))
  return {
    able,
    // What has ended meanwhile is no longer selected.
    chosen: new Set([...able].filter((key) => keys.has(key))),
    onChoose: (changed, isChosen) => {
      const next = new Set(keys)
      for (const key of changed) isChosen ? next.add(key) : next.delete(key)
      setKeys(next)
    }
  }
}

/** Above a list of which runs are selected. @param runs newest first */
export function ChosenBar({ runs, choosing }: { runs: readonly RunSummary[]; choosing: Choosing | undefined }) {
  const [isAsked, setAsked] = useState(false)
  if (!choosing || choosing.chosen.size === 0) return null
  const those = runs.filter((run) => choosing.chosen.has(keyOf(run)))
  return (
    <section class="chosen-bar" aria-label="Selected runs">
      <span role="status">{those.length} selected</span>
      <ActionButton kind="small grave" onAct={() => setAsked(true)}>
        {doing(those)}…
      </ActionButton>
      {those.length < choosing.able.size && (
        // A small screen has no heads of columns.
        <button type="button" class="button small" onClick={() => choosing.onChoose(choosing.able, true)}>
          Select all {choosing.able.size}
        </button>
      )}
      <button type="button" class="button small" onClick={() => choosing.onChoose(choosing.able, false)}>
        Select none
      </button>
      {isAsked && <StopAllDialog runs={those} onClose={() => setAsked(false)} />}
    </section>
  )
}

/** Of the button in the head of a queue. @param runs those that wait in it, the last one first */
export function ClearQueue({ name, runs }: { name: string; runs: readonly RunSummary[] }) {
  const mayNot = useRefusal('run')
  const [isAsked, setAsked] = useState(false)
  if (runs.length === 0) return null
  return (
    <>
      <ActionButton kind="small" refusal={mayNot} onAct={() => setAsked(true)}>
        Clear<span class="unseen"> {name}</span>
      </ActionButton>
      {isAsked && <StopAllDialog runs={runs} onClose={() => setAsked(false)} />}
    </>
  )
}

const running = (runs: readonly RunSummary[]) => runs.filter(({ statusLabel }) => statusLabel === 'running')
const waiting = (runs: readonly RunSummary[]) => runs.filter(({ statusLabel }) => statusLabel === 'queued')
const count = (many: number) => (many === 1 ? '1 run' : `${many} runs`)

/** `Stop 2 runs`, `Remove 1 run from the queue`, or both. */
function doing(runs: readonly RunSummary[]): string {
  const [stops, removes] = [running(runs).length, waiting(runs).length]
  const stop = `Stop ${count(stops)}`
  if (removes === 0) return stop
  return stops === 0 ? `Remove ${count(removes)} from the queue` : `${stop}, remove ${removes} from the queue`
}

function doneText(runs: readonly RunSummary[]): string {
  const [stops, removes] = [running(runs).length, waiting(runs).length]
  const stopped = stops > 0 ? `Asked ${count(stops)} to stop.` : ''
  return removes > 0 ? `${stopped} Removed ${count(removes)} from the queue.`.trim() : stopped
}

/** Names in the question. */
const MOST_NAMED = 8

function StopAllDialog({ runs, onClose }: { runs: readonly RunSummary[]; onClose: () => void }) {
  // The list goes on meanwhile; what was asked about stays.
  const [those] = useState(runs)
  const [isForced, setForced] = useState(false)
  const { isBusy, act } = useAction()
  const title = doing(those)
  const stopAll = async () => {
    await act(async () => {
      const refused: string[] = []
      for (const run of inOrder(those))
        await stopOne(run, isForced).catch((error: Error) => refused.push(`${run.name}: ${error.message}`))
      if (refused.length > 0)
        throw new Error(`Done for ${those.length - refused.length} of ${those.length}. ${refused.join(' ')}`)
      return doneText(those)
    })
    onClose()
  }
  return (
    <Dialog title={`${title}?`} yes={title} isGrave isBusy={isBusy} onClose={onClose} onYes={() => void stopAll()}>
      <ul class="asked-about">
        {those.slice(0, MOST_NAMED).map((run) => (
          <li key={keyOf(run)}>
            {run.name} <span class="soft mono">{run.dagRunId}</span>
          </li>
        ))}
        {those.length > MOST_NAMED && <li class="soft">and {those.length - MOST_NAMED} more</li>}
      </ul>
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
    </Dialog>
  )
}

// D1297
/** First what waits, the last of a queue before those ahead of it: else the queue would start what is to be removed. */
const inOrder = (runs: readonly RunSummary[]): RunSummary[] => [...waiting(runs), ...running(runs)]

/** @throws Refusal, as when it has ended meanwhile */
const stopOne = ({ name, dagRunId, statusLabel }: RunSummary, force: boolean): Promise<unknown> =>
  send(`/dag-runs${pathOf(name, dagRunId)}/${statusLabel === 'queued' ? 'dequeue' : 'stop'}`, {
    method: 'POST',
    body: force && statusLabel === 'running' ? { force } : {}
  })
