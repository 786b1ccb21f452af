/** One task from its offer to its result. Source: distribution 3. */
import { Unanswered } from '../../../bus/bus.ts'
import type { TaskKind } from '../../../bus/jobs.ts'
import { Unreadable } from '../../../bus/readers.ts'
import { type ResultOf, resultIn } from '../../../bus/results.ts'
import { ANSWER_MS, type Progress, type TaskEvent } from '../../../bus/tasks.ts'
import { type Clock, pause } from '../../../clock.ts'
import { parsed } from '../../../schema/walk.ts'
import type { Task, TaskRequest } from './asked-task.ts'
import type { Dispatcher } from './dispatcher.ts'

/** The worker will not do it; `why` is one of `REFUSALS`. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly why: string
  constructor(why: string, text: string) {
    super(text)
    this.why = why
  }
}

export interface OneTask<K extends TaskKind> {
  task: Task
  /** @throws Refused; Unreadable: its result makes no sense */
  ended: Promise<{ event: TaskEvent; result: ResultOf<K> }>
}

export interface Listening {
  claimed?(): void
  /** The task is not taken now, and will be offered again. @param reason a sentence */
  postponed?(reason: string): void
  /** The task has begun, or was found. */
  began?(event: TaskEvent): void
  grown?(progress: Progress): void
  /** Done before the task counts as ended, such as fetching its logs. */
  ending?(event: TaskEvent): Promise<void>
}

const SOME = { type: 'object' } as const
/** A result is read into memory. */
const MOST_RESULT = 64 * 1024 * 1024

/** @param leaving nobody waits any more */
export function beginTask<K extends TaskKind>(
  dispatcher: Dispatcher,
  clock: Clock,
  request: TaskRequest & { what: K },
  leaving: AbortSignal,
  listening: Listening = {}
): OneTask<K> {
  let task!: Task
  const ended = new Promise<{ event: TaskEvent; result: ResultOf<K> }>((resolve, reject) => {
    let isEnding = false
    async function end(event: TaskEvent): Promise<void> {
      try {
        await listening.ending?.(event)
        const text = event.result ?? (await resultOf(task, event.resultBytes ?? 0, clock, leaving))
        const found = parsed(SOME, text)
        if (!found) throw new Unreadable('its result is no JSON object')
        resolve({ event, result: resultIn(request.what, found) })
      } catch (error) {
        if (!leaving.aborted) reject(error)
      }
    }
    task = dispatcher.begin(request, {
      claimed: () => listening.claimed?.(),
      postponed: ({ text }) => listening.postponed?.(text),
      heard(event) {
        if (event.what !== 'ended') listening.began?.(event)
        else if (!isEnding) {
          isEnding = true
          void end(event)
        }
      },
      grown: (progress) => listening.grown?.(progress),
      refused({ why, text }) {
        task.leave()
        reject(new Refused(why, `the worker ${request.placement.id} refuses it: ${text}`))
      }
    })
  })
  return { task, ended }
}

async function resultOf(task: Task, bytes: number, clock: Clock, leaving: AbortSignal): Promise<string> {
  if (bytes > MOST_RESULT) throw new Unreadable(`a result of ${bytes} bytes: wanted at most ${MOST_RESULT}`)
  const parts: Buffer[] = []
  for (let from = 0; from < bytes; ) {
    leaving.throwIfAborted()
    try {
      const { data } = await task.read('result', from)
      if (data.length === 0) throw new Unreadable(`a result of ${bytes} bytes ends at ${from}`)
      parts.push(data)
      from += data.length
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      await pause(clock, ANSWER_MS, leaving)
    }
  }
  return Buffer.concat(parts).toString('utf8')
}
