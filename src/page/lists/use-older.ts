/** Runs older than the first part of a list: read when asked for, and without a gap when new ones push others out of that part. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { RunSummary } from '../answers.ts'
import { ask } from '../api.ts'
import { useKept } from '../history/kept.ts'
import { useAction } from '../parts/notices.tsx'
import { keyOf } from './chosen-runs.tsx'

/** Older runs that are read at once. */
const MORE = 200
/** Runs that are read again at once. */
const MOST_AT_ONCE = 1_000

export interface Part {
  dagRuns: RunSummary[]
  nextCursor: string | null
}

/** The older ones, as they were when they were read. */
interface Older extends Part {
  /** The run that they follow, if nothing was pushed out of the first part since. */
  after: string | undefined
}

export interface OlderRuns {
  /** All that are known, newest first. */
  runs: RunSummary[]
  /** Where the runs begin that are not known; null: all are. */
  cursor: string | null
  isBusy: boolean
  /** @param isAsked the visitor has asked, and is told */
  load: (isAsked: boolean) => Promise<void>
  /** Reads all of them again: nothing follows them. */
  reload: () => Promise<void>
}

/** @param filter of the list, with its limit @param first the newest, followed live */
export function useOlder(filter: string, first: Part): OlderRuns {
  const [older, setOlder] = useKept<Older>(`more ${filter}`)
  const { act, isBusy } = useAction()
  const cursor = older ? older.nextCursor : first.nextCursor
  const after = lastOf(first)
  /** For reads, which outlast what was drawn when they were asked for. */
  const known = useRef({ older, first })
  known.current = { older, first }
  const keep = (next: Older) => {
    known.current = { ...known.current, older: next }
    setOlder(next)
  }
  const partAfter = (after: string, limit: number) => {
    const query = new URLSearchParams(filter)
    query.set('limit', String(limit))
    query.set('cursor', after)
    return ask<Part>(`/dag-runs?${query}`)
  }
  const reads = useRef<Promise<unknown>>(Promise.resolve())
  // D1672: reads of a list follow one another, and none is left out
  /** Each begins with what the one before has found. */
  function read(what: () => Promise<string>): Promise<void> {
    const done = reads.current.then(() => act(what)).then(() => {})
    reads.current = done
    return done
  }
  const load = (isAsked: boolean) =>
    read(async () => {
      const { older, first } = known.current
      const next = (older ?? first).nextCursor
      // Another read has gone on from there: what it found is drawn, and asks for more itself.
      if (next === null || next !== cursor) return ''
      const part = await partAfter(next, MORE)
      const dagRuns = [...(older?.dagRuns ?? []), ...part.dagRuns]
      keep({ dagRuns, nextCursor: part.nextCursor, after: older ? older.after : lastOf(first) })
      return isAsked ? `Loaded ${part.dagRuns.length} more runs.` : ''
    })
  /** Reads what follows a first part, until enough of it is there. */
  async function readOn(first: Part, isEnough: (found: readonly RunSummary[]) => number | false): Promise<Part> {
    const dagRuns: RunSummary[] = []
    let { nextCursor } = first
    let limit: number | false = isEnough(dagRuns)
    while (nextCursor !== null && limit !== false) {
      const part = await partAfter(nextCursor, Math.min(MOST_AT_ONCE, limit))
      dagRuns.push(...part.dagRuns)
      nextCursor = part.nextCursor
      limit = isEnough(dagRuns)
    }
    return { dagRuns, nextCursor }
  }
  const reload = () =>
    read(async () => {
      const { older, first } = known.current
      const wanted = older?.dagRuns.length ?? 0
      if (wanted === 0) return ''
      const part = await readOn(first, ({ length }) => length < wanted && wanted - length)
      keep({ ...part, after: lastOf(first) })
      return ''
    })
  const fill = () =>
    read(async () => {
      const { older, first } = known.current
      const after = lastOf(first)
      if (!older || older.after === after) return ''
      const keys = new Set(older.dagRuns.map(keyOf))
      const part = await readOn(first, (found) => !found.some((run) => keys.has(keyOf(run))) && MORE)
      const between = part.dagRuns.slice(0, indexOfKnown(part.dagRuns, keys))
      keep({ dagRuns: [...between, ...older.dagRuns], nextCursor: older.nextCursor, after })
      return ''
    })
  // What has failed is tried again with the next change of the first part.
  useEffect(() => {
    if (older && older.after !== after) void fill()
  }, [older, after])

  // Memoized: the runs may be many thousands.
  const runs = useMemo(() => {
    const known = new Set(first.dagRuns.map(keyOf))
    return [...first.dagRuns, ...(older?.dagRuns ?? []).filter((run) => !known.has(keyOf(run)))]
  }, [first, older])
  return { runs, cursor, isBusy, load, reload }
}

function lastOf({ dagRuns }: Part): string | undefined {
  const last = dagRuns.at(-1)
  return last && keyOf(last)
}

function indexOfKnown(runs: readonly RunSummary[], known: ReadonlySet<string>): number {
  const index = runs.findIndex((run) => known.has(keyOf(run)))
  return index < 0 ? runs.length : index
}
