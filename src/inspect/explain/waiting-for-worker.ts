/** Why a queued run has no worker: its needs, compared with the present workers. Source: distribution 9; machines/tables/fleet.ts. */
import { canTake, keyOfNeeds } from '../../../machines/policy/worker-needs.ts'
import type { WorkerNeeds } from '../../../machines/vocabulary.ts'
import { heldBackReason } from './held-back.ts'
import { blockers, count, lasting, listed, type Said, type Situation, type WorkerSeen } from './situation.ts'

/** Empty: a worker has room for it, or it needs none. */
export function workerReasons(situation: Situation): Said[] {
  const { record, needs, workers, now, queue, needsOf } = situation
  const held = heldBackReason(situation)
  if (held) return [held]
  if (!needs) return []
  const asked = textOf(needs.labels)
  const since = record.queuedAt ?? record.createdAt
  const waits = (said: Omit<Said, 'waiting' | 'since'>): Said => ({ ...said, since })
  const blockedBy = blockers('worker', labelsOf(needs.labels))
  if (!workers)
    return [
      waits({
        cause: 'no_worker',
        text: `the run needs a worker with ${asked}, and there is none`,
        blockedBy,
        unblock: 'It starts when there is a worker with these labels; later runs may pass it.'
      })
    ]
  const labelled = workers.filter((worker) => canTake(worker, { ...needs, executors: [] }))
  if (labelled.length === 0)
    return [
      waits({
        cause: 'no_worker',
        text: `no worker has ${asked} (${present(workers, needs)})`,
        blockedBy,
        unblock: 'It starts when there is a worker with these labels; later runs may pass it.'
      })
    ]
  const fitting = labelled.filter((worker) => canTake(worker, needs))
  if (fitting.length === 0) {
    const unknown = needs.executors.filter((type) => !labelled.some(({ executors }) => executors.includes(type)))
    const types = listed(unknown.length > 0 ? unknown : needs.executors)
    return [
      waits({
        cause: 'worker_lacks_executor',
        text: `${count(labelled.length, 'worker')} with ${asked} (${listed(idsOf(labelled))}), none can run steps of type ${types}`,
        blockedBy: blockers('worker', idsOf(labelled)),
        unblock: 'It starts when a worker with these labels can run them; later runs may pass it.'
      })
    ]
  }
  const taking = fitting.filter(({ isTaking }) => isTaking)
  if (taking.some(({ taken, slots }) => taken < slots)) return []
  const draining = fitting.filter(({ isDraining }) => isDraining)
  const silent = fitting
    .filter(({ isTaking, isDraining, trouble }) => !isTaking && !isDraining && trouble === undefined)
    .sort((one, other) => other.heardAt - one.heardAt)
  const own = keyOfNeeds(needs)
  const ahead = (queue?.queued ?? []).filter((other) => {
    const theirs = (other.order ?? 0) < (record.order ?? 0) && needsOf(other)
    return theirs && keyOfNeeds(theirs) === own
  })
  const full = taking.map(({ id, taken, slots }) => `${id} ${taken}/${slots}`)
  return [
    ...(taking.length === 0
      ? []
      : [
          waits({
            cause: 'workers_full',
            text: `${count(taking.length, 'worker')} ${taking.length === 1 ? 'fits' : 'fit'}, all slots taken (${listed(full)}), next in line: ${ordinal(ahead.length + 1)}`,
            blockedBy: blockers('worker', idsOf(taking)),
            unblock:
              'It starts when a run there ends and it is first in line, or when another worker with these labels comes.'
          })
        ]),
    ...(draining.length === 0
      ? []
      : [
          waits({
            cause: 'workers_draining',
            text: `${listed(idsOf(draining))} ${draining.length === 1 ? 'fits but drains and takes' : 'fit but drain and take'} no more runs`,
            blockedBy: blockers('worker', idsOf(draining)),
            unblock:
              'It starts when another worker with these labels comes, or when one of these takes runs again: `troupe worker undrain`.'
          })
        ]),
    ...fitting
      .flatMap(({ id, trouble }) => (trouble === undefined ? [] : [{ id, trouble }]))
      .slice(0, MOST_NAMED)
      .map(({ id, trouble }) =>
        waits({
          cause: 'workers_troubled',
          text: `${id} fits but takes no more runs: ${trouble}`,
          blockedBy: blockers('worker', [id]),
          unblock:
            'It takes runs again once there is room on its disk: what its runs have written goes when they have ended.'
        })
      ),
    ...silent.slice(0, MOST_NAMED).map(({ id, heardAt }) =>
      waits({
        cause: 'workers_silent',
        text: `${id} fits but its last heartbeat is ${lasting(now - heardAt)} old`,
        blockedBy: blockers('worker', [id]),
        unblock: 'It takes runs again with its next heartbeat.'
      })
    )
  ]
}

/** Silent workers that are named: those that were heard last. */
const MOST_NAMED = 3

const idsOf = (workers: readonly WorkerSeen[]): string[] => workers.map(({ id }) => id)
const labelsOf = (labels: WorkerNeeds['labels']): string[] =>
  Object.entries(labels).map(([label, value]) => `${label}=${value}`)
const textOf = (labels: WorkerNeeds['labels']): string => labelsOf(labels).join(', ')

/** `3 workers: zone is a, b, c`, for each label that was asked for. */
function present(workers: readonly WorkerSeen[], { labels }: WorkerNeeds): string {
  if (workers.length === 0) return 'no worker is there'
  const found = Object.keys(labels).map((label) => {
    const values = new Set(workers.flatMap(({ labels }) => labels[label] ?? []))
    return values.size === 0 ? `none has ${label}` : `${label} is ${listed([...values].sort())}`
  })
  return `${count(workers.length, 'worker')}: ${found.join('; ')}`
}

function ordinal(number: number): string {
  const tens = number % 100
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}
