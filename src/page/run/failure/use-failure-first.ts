/** A run that failed is opened with the step that failed first. */
import { useEffect } from 'preact/hooks'
import type { RunDetails } from '../../answers.ts'
import { useKept } from '../../history/kept.ts'
import { changeQuery } from '../../route.ts'
import type { NodeMoment } from '../moment.ts'
import { firstFailed } from './failures.ts'

/** An address with one of these is about something else. */
const OTHERS = ['step', 'actor', 'at', 'side', 'line']

// D1365: a run that failed is opened with its first failed step in the address, on a phone too
/**
 * Selects the step in the address, once for each entry of the browser's history: neither when the panel was closed, nor when a run fails
 * that somebody is looking at. Nothing scrolls, and the focus stays.
 */
export function useFailureFirst(details: RunDetails, nodes: readonly NodeMoment[], query: URLSearchParams): void {
  const [isSettled, settle] = useKept<boolean>('failure first')
  useEffect(() => {
    if (isSettled || details.statusLabel !== 'failed' || OTHERS.some((it) => query.has(it))) return
    const step = firstFailed(nodes)?.name
    if (step !== undefined) changeQuery({ step }, 'replace')
  }, [])
  // Each entry that follows is settled, too.
  useEffect(() => settle(true), [settle])
}
