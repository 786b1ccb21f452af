/** An engine that may be closed more than once, and refuses calls after that. Source: `Engine.close`. */
import type { Engine } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'

type Late = {
  [Name in keyof Engine]-?: Engine[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
}[keyof Engine]

/** Methods that return a promise reject; the compiler checks that the list is complete. */
const LATE: Record<Late, true> = {
  start: true,
  enqueue: true,
  dequeue: true,
  readQueues: true,
  retry: true,
  reschedule: true,
  setNodeStatus: true,
  stop: true,
  signal: true,
  result: true,
  definitionsReady: true,
  createDefinition: true,
  replaceDefinition: true,
  validate: true,
  renameDefinition: true,
  health: true,
  workers: true,
  drainWorker: true,
  retryDeliveries: true,
  removeDeliveries: true,
  bus: true,
  close: true
}
export const isLate = (name: string): boolean => Object.hasOwn(LATE, name)

type Method = (...args: unknown[]) => unknown

const refusal = () =>
  new TroupeError('service_unavailable', 'this engine has been closed: open another one with createEngine')

/**
 * The same engine. During the close it answers as long as it can; calls that are still pending then are refused with
 * `service_unavailable`, and so are all later ones.
 */
export function closable(engine: Engine): Engine {
  let closing: Promise<void> | undefined
  let isClosed = false
  const unanswered = new Set<(error: Error) => void>()

  /** A set instead of racing each call with one promise of the end, which would retain every answer. */
  const answered = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      unanswered.add(reject)
      void answer.then(resolve, reject).then(() => unanswered.delete(reject))
    })
  const guarded =
    (name: string, method: Method): Method =>
    (...args) => {
      if (isClosed && isLate(name)) return Promise.reject(refusal())
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
    keys: withGuards(engine.keys),
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
      begin() // not earlier: a listener may close the engine at once
      return closing
    }
  }
}
