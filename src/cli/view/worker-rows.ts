/** Workers as the rows of a table, each with its tasks below it. Source: distribution 8, 9. */
import type { WorkersView, WorkerTask, WorkerView } from '../../engine/engine.ts'
import type { Paint, Style } from './paint.ts'
import { type Cell, tableLines } from './table.ts'
import { durationText, oneLine } from './text.ts'

const STYLES: Record<WorkerView['health'], Style> = { healthy: 'green', warning: 'yellow', unhealthy: 'red' }
const HEAD = ['worker', 'health', 'slots', 'version', 'heard', 'labels']

/** @param now epoch ms @param room columns that there are */
export function workerLines(workers: readonly WorkerView[], paint: Paint, now: number, room?: number): string[] {
  if (workers.length === 0) return []
  const [head = '', ...lines] = tableLines(
    HEAD,
    workers.map((worker) => cellsOf(worker, now)),
    paint,
    room
  )
  return [
    head,
    ...workers.flatMap((worker, at) => [
      lines[at] ?? '',
      ...(worker.refusal === '' ? [] : [paint('faint', `└─ ${oneLine(worker.refusal)}`)]),
      ...worker.tasks.map(
        (task, index) => `${paint('faint', index === worker.tasks.length - 1 ? '└─' : '├─')} ${taskText(task, now)}`
      )
    ])
  ]
}

/** Those that were given a key and are not listed. */
export function absentLines(workers: readonly WorkerView[], enrolled: WorkersView['enrolled'], now: number): string[] {
  const listed = new Set(workers.map(({ home }) => home))
  return enrolled
    .filter(({ home }) => !listed.has(home))
    .map(({ id, enrolledAt, revokedAt }) =>
      revokedAt === undefined
        ? `${oneLine(id)} is not connected; it was given a key ${agoOf(enrolledAt, now)}`
        : `${oneLine(id)} was revoked ${agoOf(revokedAt, now)}`
    )
}

const cellsOf = ({ id, status, health, slots, tasks, version, heardAt, labels }: WorkerView, now: number): Cell[] => [
  oneLine(id),
  { text: standingOf(status, health), style: STYLES[health] },
  `${tasks.length}/${slots}`,
  oneLine(version),
  agoOf(heardAt, now),
  oneLine(
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',')
  )
]

const agoOf = (at: number, now: number) => `${durationText(Math.max(0, now - at))} ago`

const standingOf = (status: WorkerView['status'], health: WorkerView['health']) => {
  if (status === 'draining') return health === 'healthy' ? status : `${health}, ${status}`
  return status === 'serving' ? health : status
}

const taskText = ({ name, dagRunId, startedAt }: WorkerTask, now: number) =>
  `${oneLine(name)}  ${startedAt === undefined ? '' : `${durationText(now - startedAt)}  `}run ${dagRunId}`
