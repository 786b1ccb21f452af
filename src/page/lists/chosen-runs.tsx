/** Runs that were selected in a list, and what can be done to all of them: `bulk-dialogs.tsx` asks and does it. */
import { useState } from 'preact/hooks'
import type { RunLabel, RunSummary } from '../answers.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useMayWith, useRefusal } from '../session.ts'
import { count, RetryAllDialog, StopAllDialog, stopText } from './bulk-dialogs.tsx'

export const keyOf = ({ name, dagRunId }: RunSummary): string => `${name}/${dagRunId}`

type Kind = 'stop' | 'retry'
// D1360: runs that failed, were canceled or succeeded partially are retried together, in place, the oldest first
/** By status: what can be done to several at once; nothing else can be selected. */
const KINDS: Partial<Record<RunLabel, Kind>> = {
  running: 'stop',
  queued: 'stop',
  failed: 'retry',
  canceled: 'retry',
  partially_succeeded: 'retry'
}
const kindOf = ({ statusLabel }: RunSummary): Kind | undefined => KINDS[statusLabel]

/** What the rows of a table need to be selected. */
export interface Choosing {
  chosen: ReadonlySet<string>
  /** Keys of the runs that can be. */
  able: ReadonlySet<string>
  onChoose: (keys: Iterable<string>, isChosen: boolean) => void
}

/** @returns undefined for a visitor who could do nothing with any of them */
export function useChoosing(runs: readonly RunSummary[]): Choosing | undefined {
  const mayRun = useMayWith('run')
  const [kinds, setKinds] = useState<ReadonlyMap<string, Kind>>(new Map())
  const able = new Map<string, Kind>()
  const allowed = runs.filter(mayRun)
  if (allowed.length === 0) return undefined
  for (const run of allowed) {
    const kind = kindOf(run)
    if (kind) able.set(keyOf(run), kind)
  }
  return {
    able: new Set(able.keys()),
    // What was to be stopped and has ended meanwhile is no longer selected, nor is what was to be retried and runs.
    chosen: new Set([...able].flatMap(([key, kind]) => (kinds.get(key) === kind ? [key] : []))),
    onChoose: (changed, isChosen) => {
      const next = new Map(kinds)
      for (const key of changed) {
        const kind = able.get(key)
        if (isChosen && kind) next.set(key, kind)
        else next.delete(key)
      }
      setKinds(next)
    }
  }
}

interface BarProps {
  /** Newest first. */
  runs: readonly RunSummary[]
  choosing: Choosing | undefined
  /** Runs were stopped or retried. */
  onActed?: () => void
}

/** Above a list of which runs are selected. */
export function ChosenBar({ runs, choosing, onActed }: BarProps) {
  const [asked, setAsked] = useState<Kind>()
  if (!choosing || choosing.chosen.size === 0) return null
  const those = runs.filter((run) => choosing.chosen.has(keyOf(run)))
  const [stops, retries] = [
    those.filter((run) => kindOf(run) === 'stop'),
    those.filter((run) => kindOf(run) === 'retry')
  ]
  const close = (done?: readonly RunSummary[]) => {
    setAsked(undefined)
    if (!done) return
    // A refused retry can be tried again. A run that is being stopped is no longer selected when it has ended.
    if (asked === 'retry') choosing.onChoose(done.map(keyOf), false)
    onActed?.()
  }
  return (
    <section class="chosen-bar" aria-label="Selected runs">
      <span role="status">{those.length} selected</span>
      {stops.length > 0 && (
        <ActionButton kind="small grave" onAct={() => setAsked('stop')}>
          {stopText(stops)}…
        </ActionButton>
      )}
      {retries.length > 0 && (
        <ActionButton kind="small" onAct={() => setAsked('retry')}>
          Retry {count(retries.length)}…
        </ActionButton>
      )}
      {those.length < choosing.able.size && (
        // A small screen has no heads of columns.
        <button type="button" class="button small" onClick={() => choosing.onChoose(choosing.able, true)}>
          Select all {choosing.able.size}
        </button>
      )}
      <button type="button" class="button small" onClick={() => choosing.onChoose(choosing.able, false)}>
        Select none
      </button>
      {asked === 'stop' && <StopAllDialog runs={stops} onClose={close} />}
      {asked === 'retry' && <RetryAllDialog runs={retries} others={stops} onClose={close} />}
    </section>
  )
}

/** A button in the head of a queue, for runs that the visitor may remove. @param runs those that wait in it, the last one first */
export function ClearQueue({ name, runs }: { name: string; runs: readonly RunSummary[] }) {
  const mayRun = useMayWith('run')
  const mayNot = useRefusal('run')
  const [isAsked, setAsked] = useState(false)
  if (runs.length === 0) return null
  const those = runs.filter(mayRun)
  return (
    <>
      <ActionButton
        kind="small"
        refusal={those.length > 0 ? undefined : (mayNot ?? 'You may remove none of them.')}
        onAct={() => setAsked(true)}
      >
        Clear<span class="unseen"> {name}</span>
      </ActionButton>
      {isAsked && <StopAllDialog runs={those} onClose={() => setAsked(false)} />}
    </>
  )
}
