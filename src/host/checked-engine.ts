/** An engine whose commands check the types of their arguments before anything changes. Source: `StartRequest` and the like in engine.ts. */
import type {
  DrainRequest,
  Engine,
  Replaced,
  Rescheduled,
  RetryRequest,
  SettableStatus,
  SignalOptions,
  SignalStep,
  StartRequest,
  StepKey,
  StopRequest
} from '../engine/engine.ts'
import { checkedReads, run } from './checked-reads.ts'
import {
  alternatives,
  callable,
  flag,
  type Kind,
  type Kinds,
  members,
  mustBe,
  only,
  positive,
  refuse,
  text,
  word
} from './host-values.ts'

const requested = { by: text, via: word('api', 'cli'), requestId: text, starter: members({}) }
const request = only('member', {
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
  fromRun: run,
  ...requested
} satisfies Record<keyof StartRequest, Kind>)
/** Sources of a run, of which exactly one is wanted: a second one would be ignored silently. */
const SOURCES = {
  spec: 'the text of a definition',
  file: 'the path of one',
  fileName: 'the name of a stored one',
  fromRun: 'the key of an earlier run'
} satisfies Partial<Record<keyof StartRequest, string>>
const retry = only('member', { dagRunId: text, stepName: text, unlimited: flag, ...requested } satisfies Record<
  keyof RetryRequest,
  Kind
>)
const stop = only('member', { force: flag, ...requested } satisfies Record<keyof StopRequest, Kind>)
const drain = only('member', { drain: flag, timeoutSec: positive, requestId: text } satisfies Record<
  keyof DrainRequest,
  Kind
>)
const names = only('member', {
  dagRunId: text,
  dagName: text,
  params: text,
  unlimited: flag,
  ...requested
} satisfies Record<keyof Rescheduled, Kind>)
const step = only('member', { root: run, subRunId: text, step: text, by: text } satisfies Record<keyof StepKey, Kind>, [
  'root',
  'step'
])
const signalled = only(
  'member',
  { name: text, dagRunId: text, subRunId: text, step: text } satisfies Record<keyof SignalStep, Kind>,
  ['name', 'dagRunId', 'step']
)
const signalling = only('member', { by: text, id: text } satisfies Record<keyof SignalOptions, Kind>)
const settable = word(
  ...Object.keys({
    not_started: true,
    running: true,
    failed: true,
    canceled: true,
    succeeded: true,
    skipped: true
  } satisfies Record<SettableStatus, true>)
)
const asked = only('member', { by: text })
const replaced = only('member', { by: text, revision: text } satisfies Record<keyof Replaced, Kind>)
const reading = only('member', { by: text, files: flag })
const closing = only('member', { runs: word('leave', 'stop') })

/** All arguments of a command with several, by name. */
const together = (kinds: Kinds, required: readonly string[], input: object, what: string): void =>
  mustBe(members(kinds, required), input, what)

function mustBeRequest(input: StartRequest, what: string): void {
  mustBe(request, input, what)
  const names = Object.keys(SOURCES) as (keyof typeof SOURCES)[] // Object.keys loses the names
  const found = names.filter((name) => input[name] !== undefined)
  if (found.length > 1) refuse([`${what}: wanted ${alternatives(names)}, found ${found.join(' and ')}`])
  if (found.length === 0) {
    const wanted = alternatives(names.map((name) => `${name} (${SOURCES[name]})`))
    refuse([`${what}: wanted ${wanted}, found none of them`])
  }
}

export const checkedEngine = (engine: Engine): Engine => ({
  ...engine,
  ...checkedReads(engine),
  async start(input) {
    mustBeRequest(input, 'start')
    return engine.start(input)
  },
  async enqueue(input) {
    mustBeRequest(input, 'enqueue')
    return engine.enqueue(input)
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
  async reschedule(key, input = {}) {
    mustBe(run, key, 'reschedule')
    mustBe(names, input, 'reschedule')
    return engine.reschedule(key, input)
  },
  async setNodeStatus(key, status) {
    mustBe(step, key, 'setNodeStatus')
    mustBe(settable, status, 'setNodeStatus: status')
    return engine.setNodeStatus(key, status)
  },
  async stop(key, options = {}) {
    mustBe(run, key, 'stop')
    mustBe(stop, options, 'stop')
    return engine.stop(key, options)
  },
  async signal(key, payload, options = {}) {
    mustBe(signalled, key, 'signal')
    mustBe(signalling, options, 'signal')
    return engine.signal(key, payload, options)
  },
  async drainWorker(id, options = {}) {
    mustBe(text, id, 'drainWorker: id')
    mustBe(drain, options, 'drainWorker')
    return engine.drainWorker(id, options)
  },
  async retryDeliveries(target, id) {
    mustBe(text, target, 'retryDeliveries: target')
    if (id !== undefined) mustBe(text, id, 'retryDeliveries: id')
    return engine.retryDeliveries(target, id)
  },
  async removeDeliveries(target, id) {
    mustBe(text, target, 'removeDeliveries: target')
    if (id !== undefined) mustBe(text, id, 'removeDeliveries: id')
    return engine.removeDeliveries(target, id)
  },
  async result(key) {
    mustBe(run, key, 'result')
    return engine.result(key)
  },
  async createDefinition(name, spec, options = {}) {
    together({ name: text, spec: text }, ['name'], { name, spec }, 'createDefinition')
    mustBe(asked, options, 'createDefinition')
    return engine.createDefinition(name, spec, options)
  },
  async replaceDefinition(fileName, spec, options = {}) {
    together({ fileName: text, spec: text }, ['fileName', 'spec'], { fileName, spec }, 'replaceDefinition')
    mustBe(replaced, options, 'replaceDefinition')
    return engine.replaceDefinition(fileName, spec, options)
  },
  removeDefinition(fileName) {
    mustBe(text, fileName, 'removeDefinition: fileName')
    engine.removeDefinition(fileName)
  },
  async renameDefinition(fileName, newFileName) {
    const both = { fileName: text, newFileName: text }
    together(both, Object.keys(both), { fileName, newFileName }, 'renameDefinition')
    return engine.renameDefinition(fileName, newFileName)
  },
  suspendDefinition(fileName, suspended) {
    const both = { fileName: text, suspended: flag }
    together(both, Object.keys(both), { fileName, suspended }, 'suspendDefinition')
    engine.suspendDefinition(fileName, suspended)
  },
  async validate(spec, name, options = {}) {
    together({ spec: text, name: text }, ['spec'], { spec, name }, 'validate')
    mustBe(reading, options, 'validate')
    return engine.validate(spec, name, options)
  },
  subscribe(listen, key) {
    together({ listen: callable, run }, ['listen'], { listen, run: key }, 'subscribe')
    return engine.subscribe(listen, key)
  },
  async close(how = {}) {
    mustBe(closing, how, 'close')
    return engine.close(how)
  }
})
