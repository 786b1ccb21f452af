/** The workers that the server knows, and what this page has seen of their health. */
import { useMemo } from 'preact/hooks'
import type { Worker } from '../answers.ts'
import type { Refusal } from '../api.ts'
import { now, uptime } from '../clock.ts'
import { usePolling } from '../polling.ts'
import { instant } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { lengthened, type Span, STRIP_MS, type Standing, standingOf } from './health.ts'

/** Shorter than the 5 s after which a worker is no longer healthy. */
const WORKERS_MS = 2_000
/** Without an answer, as from a server without a coordinator. */
const ABSENT_MS = 10_000

interface Answer {
  workers: Worker[]
  /** What is wrong with the bus, in sentences. */
  errors?: string[]
}

export interface ListedWorker {
  /** Unique: a worker that is refused because its id is in use is listed under the same id. */
  row: string
  worker: Worker
  standing: Standing
  spans: Span[]
  /** The end of the spans. */
  at: number
  /** Age of its last heartbeat when the server answered. */
  silentMs: number | undefined
}

/** Not in a component: it outlives a change of the view. */
const seen = new Map<string, Span[]>()

export interface Workers {
  /** Undefined: not known yet, or there is no coordinator. */
  workers: ListedWorker[] | undefined
  errors: readonly string[]
  refusal: Refusal | undefined
  refresh: () => void
  hasNoCoordinator: boolean
}

export function useWorkers(): Workers {
  const { value, refusal, refresh } = useAnswer<Answer>('/workers')
  const hasNoCoordinator = refusal?.status === 503
  usePolling(refusal ? ABSENT_MS : WORKERS_MS, refresh)
  const workers = useMemo(() => value && remembered(value.workers), [value])
  const shown = hasNoCoordinator ? undefined : workers
  return { workers: shown, errors: value?.errors ?? [], refusal, refresh, hasNoCoordinator }
}

function remembered(workers: readonly Worker[]): ListedWorker[] {
  const [at, answeredAt] = [uptime(), now()]
  const counts = new Map<string, number>()
  const listed = workers.map((worker) => {
    const count = counts.get(worker.id) ?? 0
    counts.set(worker.id, count + 1)
    const key = `${worker.id} ${count}`
    const standing = standingOf(worker)
    const spans = lengthened(seen.get(key) ?? [], at, standing)
    seen.set(key, spans)
    const heardAt = instant(worker.last_heartbeat)
    const silentMs = heardAt === undefined ? undefined : Math.max(0, answeredAt - heardAt)
    return { row: key, worker, standing, spans, at, silentMs }
  })
  for (const [key, spans] of seen) if ((spans.at(-1)?.until ?? 0) < at - STRIP_MS) seen.delete(key)
  return listed
}
