/** An engine that may be closed more than once, and that refuses by name what it can answer no more. Source: `Engine.close`. */
import type { Engine } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'

type Late = {
  [Name in keyof Engine]-?: Engine[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
}[keyof Engine]

/** Those that answer with a promise refuse with one: all of them, as the compiler sees to. */
const LATE: Record<Exclude<Late, 'close'>, true> = {
  start: true,
  enqueue: true,
  dequeue: true,
  readQueues: true,
  retry: true,
  reschedule: true,
  setNodeStatus: true,
  stop: true,
  result: true,
  definitionsReady: true,
  createDefinition: true,
  replaceDefinition: true,
  validate: true,
  renameDefinition: true,
  health: true
}

type Method = (...args: unknown[]) => unknown

const refusal = () =>
  new TroupeError('service_unavailable', 'this engine has been closed: open another one with createEngine')

/**
 * The same engine. While it is being closed it answers as long as it can; what it has left unanswered then is refused with
 * `service_unavailable`, and so is whatever it is asked from then on.
 */
export function closable(engine: Engine): Engine {
  let closing: Promise<void> | undefined
  let isClosed = false
  const unanswered = new Set<(error: Error) => void>()

  /** Not by a promise of the end that all race with: it would hold on to every answer there ever was. */
  const answered = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      unanswered.add(reject)
      void answer.then(resolve, reject).then(() => unanswered.delete(reject))
    })
  const guarded =
    (name: string, method: Method): Method =>
    (...args) => {
      if (isClosed && Object.hasOwn(LATE, name)) return Promise.reject(refusal())
      if (isClosed) throw refusal()
      const answer = method(...args)
      return answer instanceof Promise ? answered(answer) : answer
    }
  const withGuards = <T extends object>(whole: T): T =>
    Object.fromEntries(
      Object.entries(whole).map(([name, part]) => [name, typeof part === 'function' ? guarded(name, part) : part])
    ) as T // the same members

  return {
    ...withGuards(engine),
    facts: withGuards(engine.facts),
    close(how) {
      if (closing) return closing
      let begin = () => {}
      closing = new Promise<void>((resolve) => {
        begin = () => resolve(engine.close(how))
      }).finally(() => {
        isClosed = true
        for (const refuse of unanswered) refuse(refusal())
        unanswered.clear()
      })
      begin() // not before: who hears of it at once may close the engine in turn
      return closing
    }
  }
}
