/** What queues promise, checked at each of their decisions. Source: execution-semantics 7.2, 12; reliability P13, P14. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../../../src/actors/root/system.ts'
import type { Decided } from '../charts.ts'
import { CAPACITIES } from '../definitions.ts'
import type { Findings } from '../findings.ts'

export interface QueueRules {
  /** A start is about to be asked for. */
  asked(runRequest: RunRequest): void
  /** It was refused because maxActiveRuns was reached. */
  refused(key: RunKey): void
  decided(decided: Decided, key: RunKey, queue?: string, state?: string): void
  /** Nothing is on its way. @param isOpen whether a run has an actor */
  quiet(isOpen: (key: RunKey) => boolean): void
  /** The engine is gone; the next one finds waiting and running runs again. */
  forget(): void
  /** Runs that hold slots. */
  holders(): Set<string>
  /** Whether a run waits in a queue, or holds a slot of one. */
  has(key: RunKey): boolean
  /** The most that waited at once. */
  readonly most: number
}

interface Item {
  key: RunKey
  /** maxActiveRuns; not above 0: no limit. */
  limit: number
  needsWorker: boolean
  /** Counts up in the order in which places were assigned. */
  place: number
}
interface Line {
  holders: Map<string, RunKey>
  waiting: Map<string, Item>
}

export const idOf = ({ name, dagRunId }: RunKey): string => `${name}/${dagRunId}`

export function openQueueRules(findings: Findings): QueueRules {
  const lines = new Map<string, Line>()
  const lineOf = (queue: string) => {
    const line = lines.get(queue) ?? { holders: new Map(), waiting: new Map() }
    lines.set(queue, line)
    return line
  }
  /** By run id; they outlive the engine. */
  const asked = new Map<string, RunRequest>()
  const queues = new Map<string, string>()
  /** Whether a slot was free for it. */
  const fitted = new Map<string, boolean>()
  const places = new Map<string, number>()
  let lastPlace = 0
  let most = 0

  const active = (name: string, kind: 'holders' | 'waiting') =>
    [...lines.values()].reduce(
      (sum, line) => sum + [...line[kind].keys()].filter((id) => id.startsWith(`${name}/`)).length,
      0
    )
  /** Of each DAG the one that has waited longest, and needs no worker. */
  function headsOf({ waiting }: Line): Map<string, Item> {
    const heads = new Map<string, Item>()
    for (const item of waiting.values()) {
      const head = heads.get(item.key.name)
      if (!item.needsWorker && (!head || item.place < head.place)) heads.set(item.key.name, item)
    }
    return heads
  }
  const capacityOf = (queue: string, { limit }: Item) =>
    CAPACITIES[queue] ?? (limit > 0 ? limit : Number.POSITIVE_INFINITY)
  const itemOf = (key: RunKey): Item => {
    const plan = asked.get(idOf(key))?.plan.plan
    return {
      key,
      limit: plan?.maxActiveRuns ?? 1,
      needsWorker: plan?.workerSelector !== undefined,
      place: places.get(idOf(key)) ?? 0
    }
  }

  /**
   * It may have waited for the store since it was asked for, and others were admitted meanwhile. A singleton that has to wait for a worker
   * is enqueued, and so refused while another one runs or waits (D140, D773).
   */
  function takenUp(key: RunKey): void {
    const { exclusive, plan, singleton, enqueue } = asked.get(idOf(key)) ?? {}
    const isAlone = exclusive || (singleton && (enqueue !== undefined || itemOf(key).needsWorker))
    const limit = isAlone ? 1 : (plan?.plan.maxActiveRuns ?? 0)
    const others = active(key.name, 'holders') + active(key.name, 'waiting')
    fitted.set(idOf(key), limit <= 0 || others < limit)
  }

  function admitted(key: RunKey, queue: string): void {
    const runRequest = asked.get(idOf(key))
    const line = lineOf(queue)
    const { limit } = itemOf(key)
    const running = active(key.name, 'holders')
    const queued = active(key.name, 'waiting')
    const most = runRequest?.unlimited ? -1 : runRequest?.exclusive ? 1 : limit
    if (most > 0 && running + queued >= most)
      findings.add(
        '7.2.3 no start when running + queued >= maxActiveRuns',
        `${idOf(key)}: ${running} + ${queued}, limit ${most}`
      )
    if (runRequest?.singleton && running > 0)
      findings.add('7.2.3 singleton: no start when one is running', `${idOf(key)}: ${running} run`)
    const capacity = CAPACITIES[queue]
    const mayWait = runRequest?.mayWait && !runRequest.singleton && !runRequest.unlimited && limit > 1
    if (mayWait && capacity !== undefined && line.holders.size >= capacity)
      findings.add(
        '7.2.4 a start into a full queue waits',
        `${idOf(key)} in ${queue}: ${line.holders.size} of ${capacity}`
      )
    line.holders.set(idOf(key), key)
  }

  function dispatched(key: RunKey, queue: string): void {
    const line = lineOf(queue)
    const item = line.waiting.get(idOf(key))
    if (!item) {
      findings.add('12.9 only a run that waits is dispatched', idOf(key))
      return
    }
    line.waiting.delete(idOf(key))
    if (item.needsWorker) findings.add('12.12 a run that needs an absent worker waits', idOf(key))
    const occupied = line.holders.size
    if (occupied >= capacityOf(queue, item))
      findings.add(
        '12.3 queue limits are never exceeded',
        `${idOf(key)} in ${queue}: ${occupied} of ${capacityOf(queue, item)}`
      )
    // One whose own DAG's limit holds it back lets those of other DAGs pass, and none of its own: one with the higher limit of a
    // definition that was edited waits behind it.
    for (const other of headsOf(line).values()) {
      if (other.place > item.place) continue
      if (other.key.name === key.name || occupied < capacityOf(queue, other))
        findings.add('12.5 first in, first out', `${idOf(key)} before ${idOf(other.key)} in ${queue}`)
    }
    line.holders.set(idOf(key), key)
  }

  function queued(key: RunKey, queue: string): void {
    const runRequest = asked.get(idOf(key))
    const { limit } = itemOf(key)
    const others = active(key.name, 'holders') + active(key.name, 'waiting')
    if (runRequest?.enqueue?.bounded && !runRequest.unlimited && limit > 0 && others >= limit)
      findings.add(
        '12.7 enqueue is refused when queued + running >= maxActiveRuns',
        `${idOf(key)}: ${others}, limit ${limit}`
      )
    places.set(idOf(key), ++lastPlace)
    lineOf(queue).waiting.set(idOf(key), itemOf(key))
    most = Math.max(most, lineOf(queue).waiting.size)
  }

  return {
    asked(runRequest) {
      const { name, dagRunId, queue } = runRequest.record
      asked.set(idOf({ name, dagRunId }), runRequest)
      queues.set(idOf({ name, dagRunId }), queue ?? name)
    },
    refused(key) {
      if (fitted.get(idOf(key)))
        findings.add('7.2.2 a start is refused only when maxActiveRuns is reached', `${idOf(key)} had room`)
    },
    decided(decided, key, named, state) {
      const queue = named ?? queues.get(idOf(key)) ?? key.name
      if (decided === 'asked') takenUp(key)
      else if (decided === 'admitted') admitted(key, queue)
      else if (decided === 'queued') queued(key, queue)
      else if (decided === 'dispatched') dispatched(key, queue)
      else if (decided === 'found') {
        if (state === 'running') lineOf(queue).holders.set(idOf(key), key)
        else lineOf(queue).waiting.set(idOf(key), itemOf(key))
      } else
        for (const line of lines.values()) {
          line.holders.delete(idOf(key))
          line.waiting.delete(idOf(key))
        }
    },
    quiet(isOpen) {
      for (const [queue, line] of lines) {
        const { holders } = line
        for (const key of holders.values())
          if (!isOpen(key)) findings.add('12.4 a slot is held by a living run only', `${idOf(key)} in ${queue}`)
        for (const item of headsOf(line).values())
          if (holders.size < capacityOf(queue, item))
            findings.add('12.15 nobody waits beside a free slot', `${idOf(item.key)} in ${queue}: ${holders.size} run`)
      }
    },
    forget: () => lines.clear(),
    has: (key) => [...lines.values()].some((line) => line.waiting.has(idOf(key)) || line.holders.has(idOf(key))),
    holders: () => new Set([...lines.values()].flatMap(({ holders }) => [...holders.keys()])),
    get most() {
      return most
    }
  }
}
