/** Workers as the rows of a table, each with its tasks below it. Source: distribution 8, 9. */
import type { OperationResult, Worker } from '../../client/index.ts'
import type { Paint, Style } from './paint.ts'
import { type Cell, tableLines } from './table.ts'
import { durationText, idIn, instant, oneLine } from './text.ts'

const STYLES: Record<Worker['healthStatus'], Style> = { healthy: 'green', warning: 'yellow', unhealthy: 'red' }
const HEAD = ['worker', 'health', 'slots', 'version', 'heard', 'labels']

/** @param now epoch ms @param room columns that there are */
export function workerLines(workers: readonly Worker[], paint: Paint, now: number, room?: number): string[] {
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
      ...(worker.reason === '' ? [] : [paint('faint', `└─ ${oneLine(worker.reason)}`)]),
      ...worker.runningTasks.map(
        (task, index) =>
          `${paint('faint', index === worker.runningTasks.length - 1 ? '└─' : '├─')} ${taskText(task, now, room)}`
      )
    ])
  ]
}

/** Workers that were given a key and are not listed. */
export function absentLines({ workers, enrolled }: OperationResult<'listWorkers'>, now: number): string[] {
  const listed = new Set(workers.map(({ id }) => id))
  return enrolled
    .filter(({ id }) => !listed.has(id))
    .map(({ id, enrolledAt, revokedAt }) =>
      revokedAt === ''
        ? `${oneLine(id)} is not connected; it was given a key ${agoOf(enrolledAt, now)}`
        : `${oneLine(id)} was revoked ${agoOf(revokedAt, now)}`
    )
}

const cellsOf = (worker: Worker, now: number): Cell[] => [
  oneLine(worker.id),
  { text: standingOf(worker), style: STYLES[worker.healthStatus] },
  `${worker.runningTasks.length}/${worker.slots}`,
  oneLine(worker.version),
  agoOf(worker.lastHeartbeatAt, now),
  oneLine(
    Object.entries(worker.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',')
  )
]

const agoOf = (at: string, now: number) => `${durationText(Math.max(0, now - Date.parse(at)))} ago`

const standingOf = ({ status, healthStatus: health }: Worker) => {
  if (status === 'draining') return health === 'healthy' ? status : `${health}, ${status}`
  return status === 'serving' ? health : status
}

function taskText(
  { dagName, dagRunId, startedAt }: Worker['runningTasks'][number],
  now: number,
  room: number | undefined
): string {
  const began = instant(startedAt)
  return `${oneLine(dagName)}  ${began === undefined ? '' : `${durationText(now - began)}  `}run ${idIn(room, dagRunId)}`
}
