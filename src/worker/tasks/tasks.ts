/**
 * The tasks of a worker: it hears the orders of its engine, keeps account of them, and tells what came of them. A task is begun once,
 * whatever is lost, doubled or late, and nothing is said that is not on its disk. Source: distribution 3, 5, D3.
 */
import type { Bus } from '../../bus/bus.ts'
import { subjectsOf } from '../../bus/messages.ts'
import { Unreadable } from '../../bus/readers.ts'
import {
  type Order,
  orderIn,
  PART_BYTES,
  type Progress,
  type Read,
  type Reply,
  type TaskState,
  writtenBeside,
  writtenTask
} from '../../bus/tasks.ts'
import type { Clock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import type { Fence } from '../../executors/fence/fence.ts'
import type { Log } from '../../log.ts'
import type { Contact } from '../contact.ts'
import { openAsking } from './asking.ts'
import { NO_PART, partOf } from './file-part.ts'
import { type LogPart, logPart } from './log-part.ts'
import { openOffers } from './offers.ts'
import { askForOverRuns } from './over-runs.ts'
import { openReports } from './reports.ts'
import type { Spool } from './spool.ts'
import { openStops } from './stops.ts'
import { openTaskTable, type TaskTable } from './task-table.ts'
import type { Work } from './work.ts'

export interface TasksParts {
  bus: Bus
  clock: Clock
  log: Pick<Log, 'warn' | 'error'>
  /** First word of the subjects. */
  cluster: string
  homeId: string
  /** Session of this process. */
  session: string
  spool: Spool
  work: Work
  contact: Contact
  fence: Pick<Fence, 'wasFenced' | 'unlist'>
}

export interface Tasks {
  /** Tasks whose logs have grown since the last call. */
  progress(): Progress[]
  /** Every task on record. */
  held(): { task: string; lease: number; state: TaskState; run: string; name: string }[]
  /** Tasks of which the disk refuses what came of them. */
  unwritten(): number
  /** Asks which of its runs are over: that they are may have been lost on the way. */
  askForOverRuns(): void
  /** Listens anew: the engine says that it is not heard. */
  listenAnew(): void
  /** Nothing more is heard or told. Steps at work go on. */
  close(): void
}

/** Goes on with what a process before this one has left. */
export function openTasks(parts: TasksParts): Tasks {
  const { bus, clock, log, cluster, homeId, session, spool, work, contact, fence } = parts
  const subjects = subjectsOf(cluster)
  const closing = new AbortController()
  const leaving = closing.signal
  const asking = openAsking(bus, clock)
  const reports = openReports({
    clock,
    spool,
    asking,
    session,
    subject: subjects.up(homeId, 'event'),
    settled: (task, how) => table.settled(task, how),
    fault: ({ record: { name } }, error) =>
      log.error('what came of a task cannot be told', { task: name, reason: messageOf(error) })
  })
  const table = openTaskTable({ clock, log, spool, work, reports, contact, fence, leaving })
  const stops = openStops(spool)
  const offers = openOffers({
    asking,
    subject: subjects.up(homeId, 'job'),
    spool,
    work,
    table,
    stops,
    contact,
    leaving
  })

  async function answerTo(order: Order): Promise<Reply | undefined> {
    if (order.kind === 'offer') return offers.take(order)
    if (order.kind === 'read') return readFrom(table, spool, order, clock.now())
    if (order.kind === 'forget') {
      table.forget(order)
      return { kind: 'done' }
    }
    const task = table.get(order)
    if (!task) return stops.leaveMark(order)
    const { signal, kill, force } = order
    await task.ask({ signal, ...(kill ? { kill } : {}), ...(force ? { force } : {}) })
    return { kind: 'claimed', state: task.state }
  }
  const listen = () =>
    bus.hear(subjects.down(homeId), ({ text, answer }) => {
      const say = (reply: Reply | undefined, isBeside = false) => {
        if (!reply || leaving.aborted) return
        if (isBeside && reply.kind === 'part') answer(writtenBeside(reply), reply.data)
        else answer(writtenTask(reply))
      }
      const carryOut = async () => {
        const order = orderIn(text)
        say(await answerTo(order), order.kind === 'read' && order.binary)
      }
      carryOut().catch((error: unknown) => {
        if (error instanceof Unreadable)
          say({ kind: 'refused', why: 'message', text: messageOf(error).slice(0, MOST_TEXT) })
        else log.error('an order was not carried out', { reason: messageOf(error) }) // it is given again
      })
    })
  let unhear = listen()
  for (const task of spool.damaged) log.error('the record of a task is damaged: it begins nothing any more', { task })
  table.resume()
  let cancelLook = () => {}
  const look = () => {
    if (contact.isPast()) table.fence()
    cancelLook = clock.after(LOOK_MS, look)
  }
  look()
  const overRuns = askForOverRuns({
    bus,
    clock,
    table,
    subject: subjects.up(homeId, 'runs'),
    fault: (error) => log.error('runs that are over are not known', { reason: messageOf(error) })
  })

  return {
    progress: table.progress,
    unwritten: () => table.all().filter(({ isUnwritten }) => isUnwritten).length,
    held: () => table.all().map(({ record: { task, lease, run, name }, state }) => ({ task, lease, state, run, name })),
    askForOverRuns: overRuns.ask,
    listenAnew() {
      unhear()
      unhear = listen()
    },
    close() {
      closing.abort()
      cancelLook()
      unhear()
      overRuns.close()
      asking.close()
      reports.close()
      for (const task of table.all()) task.leave()
    }
  }
}

const MOST_TEXT = 1_000
/** Between looks whether what is at work must end: the fence does so by itself at the same time. */
const LOOK_MS = 500

/** Reads a part of what a task has written, or of its result. Source: distribution 3, D10. @param now epoch ms */
async function readFrom(table: TaskTable, spool: Spool, order: Read, now: number): Promise<Reply> {
  const task = table.get(order)
  if (!task) return { kind: 'unknown' }
  const { record, id } = task
  const { stream, from } = order
  const most = Math.min(order.max, PART_BYTES)
  const part = async (): Promise<LogPart> => {
    if (stream !== 'result') {
      const path = record.began?.logs[stream === 'stdout' ? 0 : 1]
      return path === undefined ? NO_PART : logPart(path, from, most, now)
    }
    const { result } = record.ended ?? {}
    if (result === undefined) return record.ended ? partOf(spool.resultPath(id), from, most) : NO_PART
    const bytes = Buffer.from(result)
    return { size: bytes.length, data: bytes.subarray(from, from + most) }
  }
  return { kind: 'part', ...(await part()) }
}
