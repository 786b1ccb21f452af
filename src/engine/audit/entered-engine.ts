/**
 * Enters into the audit log what is changed by an engine and not entered by who answers for it: the calls of a host application. The
 * compiler demands that each method is a read or says what it changes. Source: docs/operating/audit.md "What is entered".
 */
import { AsyncResource } from 'node:async_hooks'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Audit } from '../../audit/audit.ts'
import { digestOf, shownValue } from '../../audit/bounded.ts'
import type { NewEntry } from '../../audit/entry.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import type { Engine, StartRequest } from '../engine.ts'
import type { KeyRing } from '../keys/key-types.ts'

type MethodsOf<T> = { [K in keyof T]-?: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T]

/** Changes nothing that outlives the engine. */
const READS = {
  now: true,
  inspect: true,
  queues: true,
  readQueues: true,
  waiting: true,
  waitingPart: true,
  awaitedBy: true,
  result: true,
  run: true,
  earlierNode: true,
  subRun: true,
  subRuns: true,
  record: true,
  runs: true,
  runsPart: true,
  countsIn: true,
  statusesPart: true,
  count: true,
  runSpec: true,
  journal: true,
  latestSeq: true,
  feed: true,
  fed: true,
  latest: true,
  definitions: true,
  definitionsReady: true,
  definition: true,
  decisions: true,
  spec: true,
  versions: true,
  validate: true,
  subscribe: true,
  health: true,
  workers: true,
  bus: true,
  deliveries: true,
  targets: true,
  resources: true,
  close: true
} as const satisfies Partial<Record<MethodsOf<Engine>, true>>
const KEY_READS = { all: true, keyOf: true, whileGood: true } as const satisfies Partial<
  Record<MethodsOf<KeyRing>, true>
>

type Target = Record<string, string>

/** The entry of a call; what it is about may be known only when it is done. */
interface Change {
  operation: string
  target: Target
  /** Texts of definitions are named by their hash. */
  asked: object
  by: string | undefined
  /** The target of what has come of it. */
  made?: (result: unknown) => Target
}

type Changes<T, Reads> = {
  [K in Exclude<MethodsOf<T>, keyof Reads>]: (...args: T[K] extends (...args: infer A) => unknown ? A : never) => Change
}

const keyIn = (result: unknown): Target => {
  const { name, dagRunId } = result as RunKey // what these methods resolve with
  return { name, dagRunId }
}
const change = (operation: string, target: Target, asked: object = {}, by?: string): Change => ({
  operation,
  target,
  asked,
  by
})
const ofRun = ({ name, dagRunId }: RunKey, operation: string, asked?: { by?: string | undefined }): Change =>
  change(operation, { name, dagRunId }, asked, asked?.by)
const begun = (request: StartRequest, ofDag: string, inline: string): Change => ({
  ...change(request.spec === undefined ? ofDag : inline, fileIn(request.fileName), request, request.by),
  made: keyIn
})
const fileIn = (fileName: string | undefined): Target => (fileName === undefined ? {} : { fileName })
const subRunIn = (subDAGRunId: string | undefined): Target => (subDAGRunId === undefined ? {} : { subDAGRunId })

const CHANGES: Changes<Engine, typeof READS> = {
  start: (request) => begun(request, 'startDag', 'startInline'),
  enqueue: (request) => begun(request, 'enqueueDag', 'enqueueInline'),
  dequeue: (key) => ofRun(key, 'dequeueRun'),
  retry: (key, asked) => ofRun(key, 'retryRun', asked),
  reschedule: (key, asked) => ofRun(key, 'rescheduleRun', asked),
  setNodeStatus: ({ root, subRunId, step, by }, status) => {
    const operation = subRunId === undefined ? 'setStepStatus' : 'setSubRunStepStatus'
    return change(operation, { ...root, ...subRunIn(subRunId), stepName: step }, { status }, by)
  },
  stop: (key, asked) => ofRun(key, 'stopRun', asked),
  signal: ({ name, dagRunId, subRunId, step }, payload, { by } = {}) => {
    const operation = subRunId === undefined ? 'signalStep' : 'signalSubRunStep'
    return change(operation, { name, dagRunId, ...subRunIn(subRunId), stepName: step }, { payload }, by)
  },
  createDefinition: (fileName, spec, { by } = {}) => change('createDag', { fileName }, { spec }, by),
  replaceDefinition: (fileName, spec, { by } = {}) => change('replaceDagSpec', { fileName }, { spec }, by),
  removeDefinition: (fileName) => change('deleteDag', { fileName }),
  renameDefinition: (fileName, newFileName) => change('renameDag', { fileName }, { newFileName }),
  suspendDefinition: (fileName, suspend) => change('suspendDag', { fileName }, { suspend }),
  drainWorker: (workerId, asked) => change('drainWorker', { workerId }, asked),
  retryDeliveries: (targetName, id) => change('retryDeliveries', { targetName }, { id }),
  removeDeliveries: (targetName, id) => change('removeDeliveries', { targetName }, { id })
}
const KEY_CHANGES: Changes<KeyRing, typeof KEY_READS> = {
  make: ({ name: keyName, role, rules, by }) => change('createKey', { keyName }, { role, rules }, by),
  revoke: (keyName, by) => change('revokeKey', { keyName }, {}, by)
}

type Method = (...args: unknown[]) => unknown

// D1580: what nobody enters, the engine does
export function enteredEngine(engine: Engine, audit: Audit): Engine {
  const entryOf = ({ operation, target, asked, by = '' }: Change, made: Target = {}) => {
    const all = { ...target, ...made }
    const shown = Object.entries(asked).flatMap(([name, value]): [string, unknown][] => {
      if (value === undefined || name === 'by') return []
      return [[name, name === 'spec' ? digestOf(String(value)) : value]]
    })
    return {
      principal: { kind: 'host', name: by },
      door: 'host' as const,
      operation,
      ...(Object.keys(all).length > 0 ? { target: all } : {}),
      ...(shown.length > 0 ? { after: { asked: shownValue(Object.fromEntries(shown), audit.mask) } } : {})
    }
  }
  const refused = (change: Change, outcome: string, reason: string) =>
    audit.refused({ ...entryOf(change), outcome, reason: audit.mask(reason.slice(0, MOST_REASON)) })
  const failed = (change: Change, cause: unknown) =>
    refused(change, cause instanceof TroupeError ? cause.code : (codeOf(cause) ?? 'internal_error'), messageOf(cause))
  const done = (change: Change, result: unknown): Promise<void> | undefined => {
    // A text with problems is answered with them, and changes nothing.
    if (change.operation === 'replaceDagSpec' && Array.isArray(result) && result.length > 0) {
      refused(change, 'bad_request', String(result[0]))
      return undefined
    }
    const entry: NewEntry = { ...entryOf(change, change.made?.(result)), outcome: 'done' }
    return audit.note(entry)
  }

  const entering =
    (method: Method, changeOf: (...args: never[]) => Change): Method =>
    (...args) => {
      if (audit.isAnsweredFor()) return method(...args)
      audit.refuseWhileStuck()
      const change = changeOf(...(args as never[])) // those of the method
      try {
        const result = method(...args)
        if (!(result instanceof Promise)) {
          void done(change, result)?.catch(() => {}) // it was reported, and is tried again
          return result
        }
        return result.then(
          async (value) => {
            await done(change, value)
            return value
          },
          (cause) => {
            failed(change, cause)
            throw cause
          }
        )
      } catch (cause) {
        failed(change, cause)
        throw cause
      }
    }
  const withEntries = <T extends object>(
    whole: T,
    changes: Readonly<Record<string, (...args: never[]) => Change>>
  ): T => {
    const entries = Object.entries(changes).map(([name, changeOf]) => [
      name,
      entering(whole[name as keyof T] as Method, changeOf)
    ])
    return { ...whole, ...Object.fromEntries(entries) } as T // the same members
  }
  return {
    ...withEntries(engine, CHANGES),
    keys: withEntries(engine.keys, KEY_CHANGES),
    // A listener is called in the middle of somebody's request, and what it does is none of theirs.
    subscribe: (listen, run) => engine.subscribe(AsyncResource.bind(listen), run)
  }
}

const MOST_REASON = 300
