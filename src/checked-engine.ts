/** An engine whose commands refuse what has another type than they say, before anything has changed. Source: `StartRequest` and the like in engine.ts. */
import type { Engine, Rescheduled, RetryRequest, StartRequest, StepKey } from './engine.ts'
import { flag, type Kind, members, mustBe, text } from './host-values.ts'

const run = members({ name: text, dagRunId: text }, ['name', 'dagRunId'])
const request = members({
  spec: text,
  file: text,
  fileName: text,
  name: text,
  dagName: text,
  params: text,
  evaluateParams: flag,
  dagRunId: text,
  singleton: flag,
  queue: text,
  dryRun: flag,
  noQueue: flag,
  waitWhenFull: flag,
  unlimited: flag,
  fromRun: run
} satisfies Record<keyof StartRequest, Kind>)
const retry = members({ dagRunId: text, stepName: text, unlimited: flag } satisfies Record<keyof RetryRequest, Kind>)
const names = members({ dagRunId: text, dagName: text } satisfies Record<keyof Rescheduled, Kind>)
const step = members({ root: run, subRunId: text, step: text, by: text } satisfies Record<keyof StepKey, Kind>, [
  'root',
  'step'
])

export const checkedEngine = (engine: Engine): Engine => ({
  ...engine,
  async start(given) {
    mustBe(request, given, 'start')
    return engine.start(given)
  },
  async enqueue(given) {
    mustBe(request, given, 'enqueue')
    return engine.enqueue(given)
  },
  async dequeue(key) {
    mustBe(run, key, 'dequeue')
    return engine.dequeue(key)
  },
  async retry(key, options = {}) {
    mustBe(run, key, 'retry')
    mustBe(retry, options, 'retry')
    return engine.retry(key, options)
  },
  async reschedule(key, given = {}) {
    mustBe(run, key, 'reschedule')
    mustBe(names, given, 'reschedule')
    return engine.reschedule(key, given)
  },
  async setNodeStatus(key, status) {
    mustBe(step, key, 'setNodeStatus')
    mustBe(text, status, 'setNodeStatus: status')
    return engine.setNodeStatus(key, status)
  },
  async stop(key) {
    mustBe(run, key, 'stop')
    return engine.stop(key)
  },
  async result(key) {
    mustBe(run, key, 'result')
    return engine.result(key)
  }
})
