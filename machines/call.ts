/**
 * One execution of a step that calls a sub workflow: its sub DAG runs, at most `maxConcurrent` of them at a time, and what
 * their ends mean for the step. It stands in for an attempt: it exchanges the same events with the node.
 * Source: execution-semantics 9.
 *
 * state      waits for                     goes to
 * resolving  name, items and parameters    working (they are known); ended (they cannot be, worker lost); givenUp (stop);
 *                                          stopping (they are known, after a stop)
 * working    the ends of its sub runs      reporting (all have ended); stopping (stop)
 * stopping   those that have begun         reporting (all have ended)
 * reporting  the result in the step's log  ended (it is written)
 * givenUp, ended  the end
 */
import { assign, enqueueActions, sendParent, sendTo, setup } from 'xstate'
import type { AttemptCommand, AttemptEnded, AttemptInput, AttemptLost } from './attempt.ts'
import { type CallTally, callResult, counted, type LastEnd } from './policy/call-outcome.ts'
import { invokedActor } from './slots.ts'
import type { RunStatus, SubRunRef } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface CallInput extends AttemptInput {
  /** When the execution began, epoch ms. */
  at: number
  /** Number of passes of the step that have ended before this one; 0 in the first pass. */
  pass: number
  /** The step has `parallel`: its result combines those of all items. */
  parallel: boolean
}

/** What is called; known once the name, items and parameters have been evaluated. */
export interface ResolvedCall {
  /** Distinct, in order of appearance. */
  items: SubRunRef[]
  /** Content hash of the plan they all run. */
  plan: string
  maxConcurrent: number
  /** Length of the step's stdout log when the call began. */
  offset: number
}

export interface CallContext extends CallInput, ResolvedCall {
  at: number
  /** Index of the next item to start. */
  next: number
  active: number
  tally: CallTally
  last?: LastEnd
  /** Why nothing could be called. */
  error?: string
  stopped: boolean
  facts?: CallFacts
}

/** Input of the actor that represents one sub run of the step. */
export interface SubRunInput {
  caller: CallInput
  index: number
  item: SubRunRef
  plan: string
  /** Attach to it, or report that it never started; start nothing. */
  findOnly: boolean
}
export type SubRunCommand = { type: 'sub.stop' } | { type: 'sub.kill'; force?: boolean }
export interface SubRunEnded {
  type: 'sub.ended'
  at: number
  index: number
  /** `not_started`: it never started. */
  status: RunStatus
  /** Why the sub run could not be started. */
  error?: string
}

/** What the written result tells about the step. */
export type CallFacts = Pick<AttemptEnded, 'output' | 'outputMarks' | 'outputMatched' | 'error'>

/** What is written to the log: the result of every sub run that was started. */
export interface ReportInput extends CallInput {
  offset: number
  items: SubRunRef[]
  total: number
  tally: CallTally
  /** The step is being stopped: it does not wait for a full disk. */
  stopped: boolean
  /** The step failed or was stopped (one that times out is): its output is searched for `continueOn.output`. */
  failed: boolean
}

export type CallEvent =
  | ({ type: 'call.resolved'; at: number; stopped: boolean } & ResolvedCall)
  | { type: 'call.unresolved'; at: number; error: string }
  | SubRunEnded
  | ({ type: 'call.reported'; at: number } & CallFacts)
  | AttemptCommand
  | AttemptLost

// D18: a sub DAG run is a child of the engine, not of the calling node
/** A call before anything has been resolved. */
export const openCall = (input: CallInput): CallContext => ({
  ...input,
  items: [],
  plan: '',
  maxConcurrent: 1,
  offset: 0,
  next: 0,
  active: 0,
  tally: { succeeded: 0, partiallySucceeded: 0, failed: 0 },
  stopped: false
})

export const subId = (index: number) => `sub/${index}`
const resultOf = ({ parallel, tally, items, last }: CallContext) => callResult(parallel, tally, items.length, last)

export const callMachine = setup({
  types: {} as { input: CallInput; context: CallContext; events: CallEvent },
  actors: {
    resolution: invokedActor<{ type: 'resolution.stop' }, CallInput>('resolution'),
    subRun: invokedActor<SubRunCommand, SubRunInput>('subRun'),
    report: invokedActor<{ type: 'report.stop' }, ReportInput>('report')
  },
  guards: {
    wasStopped: ({ context }, { stopped }: { stopped: boolean }) => stopped || context.stopped,
    isResumed: ({ context: { resumed } }) => resumed === true,
    allEnded: ({ context: { active, next, items } }) => active === 0 && next >= items.length,
    noneActive: ({ context: { active } }) => active === 0
  },
  actions: {
    noteCall: assign((_, { at, items, plan, maxConcurrent, offset }: { at: number } & ResolvedCall) => ({
      at,
      items,
      plan,
      maxConcurrent,
      offset
    })),
    noteFault: assign((_, { at, error }: { at: number; error: string }) => ({ at, error })),
    noteStop: assign((_, { at }: { at: number }) => ({ at, stopped: true })),
    sayBegun: sendParent(({ context: { at } }) => ({ type: 'attempt.began', at })),
    beginNext: enqueueActions(({ context: c, enqueue }) => {
      const until = Math.min(c.items.length, c.next + c.maxConcurrent - c.active)
      for (let index = c.next; index < until; index++)
        enqueue.spawnChild('subRun', { id: subId(index), input: subRunInput(c, index, false) })
      enqueue.assign({ next: until, active: c.active + until - c.next })
    }),
    /** After a restart: sub runs that had started are asked to stop again, as it is unknown which got the request; no other starts. */
    findAll: enqueueActions(({ context: c, enqueue }) => {
      for (let index = 0; index < c.items.length; index++) {
        enqueue.spawnChild('subRun', { id: subId(index), input: subRunInput(c, index, true) })
        enqueue.sendTo(subId(index), { type: 'sub.stop' })
      }
      enqueue.assign({ next: c.items.length, active: c.items.length })
    }),
    /** In place, because `stopChild` copies all the other children. */
    dropSub: ({ self }, { index }: SubRunEnded) => {
      delete self.getSnapshot().children[subId(index)]
    },
    noteEnd: assign(({ context: c }, { at, index, status, error }: SubRunEnded) => {
      const { dagRunId } = c.items[index] ?? { dagRunId: '' }
      const last = { dagRunId, status, ...(error === undefined ? {} : { error }) }
      return { at, active: c.active - 1, tally: counted(c.tally, status), last }
    }),
    stopSubs: enqueueActions(({ context: c, enqueue, self }) => {
      const { children } = self.getSnapshot()
      for (let index = 0; index < c.next; index++) {
        const sub = children[subId(index)]
        if (sub) enqueue.sendTo(sub, { type: 'sub.stop' })
      }
    }),
    killSubs: enqueueActions(({ context: c, enqueue, self }, { force }: { force?: boolean }) => {
      const { children } = self.getSnapshot()
      for (let index = 0; index < c.next; index++) {
        const sub = children[subId(index)]
        if (sub) enqueue.sendTo(sub, { type: 'sub.kill', ...(force ? { force } : {}) })
      }
    }),
    hurryReport: sendTo('report', { type: 'report.stop' }),
    noteReport: assign((_, { type: _type, at, ...facts }: Extract<CallEvent, { type: 'call.reported' }>) => ({
      at,
      facts
    })),
    sayEnded: sendParent(({ context: c }): AttemptEnded => {
      const { exitCode, partial, error } = c.error === undefined ? resultOf(c) : fault(c.error)
      const said = c.facts?.error ?? error
      return {
        ...c.facts,
        type: 'attempt.ended',
        at: c.at,
        exitCode: c.stopped ? -1 : c.facts?.error === undefined ? exitCode : 1,
        ...(said === undefined ? {} : { error: said }),
        ...(partial ? { partial } : {})
      }
    }),
    sayStopped: sendParent(
      ({ context: { at } }): AttemptEnded => ({ type: 'attempt.ended', at, exitCode: -1, error: 'signal: terminated' })
    )
  }
}).createMachine({
  id: 'call',
  description: 'One execution of a step that calls a sub workflow.',
  context: ({ input }) => openCall(input),
  initial: 'resolving',
  states: {
    resolving: {
      description: 'The name of the sub workflow, its items and its parameters are being evaluated.',
      invoke: { id: 'resolution', src: 'resolution', input: ({ context }) => callInput(context) },
      on: {
        'call.resolved': [
          {
            guard: withEvent('wasStopped'),
            target: 'stopping',
            actions: [withEvent('noteCall'), withEvent('noteStop'), 'findAll']
          },
          { target: 'working', actions: [withEvent('noteCall'), 'sayBegun'] }
        ],
        'call.unresolved': { target: 'ended', actions: withEvent('noteFault') },
        'attempt.lost': { target: 'ended', actions: withEvent('noteFault') },
        'attempt.stop': [
          // Sub DAG runs called before the restart are found first and then stopped.
          { guard: 'isResumed', actions: withEvent('noteStop') },
          { target: 'givenUp', actions: withEvent('noteStop') }
        ],
        'attempt.kill': { target: 'givenUp', actions: withEvent('noteStop') }
      }
    },
    working: {
      description:
        'Sub DAG runs are running, at most maxConcurrent at a time. Every item runs, however the others end.',
      entry: 'beginNext',
      always: { guard: 'allEnded', target: 'reporting' },
      on: {
        'sub.ended': { actions: [withEvent('dropSub'), withEvent('noteEnd'), 'beginNext'] },
        'attempt.stop': { target: 'stopping', actions: withEvent('noteStop') },
        'attempt.kill': { target: 'stopping', actions: [withEvent('noteStop'), withEvent('killSubs')] }
      }
    },
    stopping: {
      description: 'No further item starts. Every sub run has been asked to stop and ends by its own rules.',
      entry: 'stopSubs',
      always: { guard: 'noneActive', target: 'reporting' },
      on: {
        'sub.ended': { actions: [withEvent('dropSub'), withEvent('noteEnd')] },
        'attempt.kill': { actions: withEvent('killSubs') }
      }
    },
    reporting: {
      description: "The result of the sub runs is being written to the step's log and captured.",
      invoke: {
        id: 'report',
        src: 'report',
        input: ({ context: c }): ReportInput => ({
          ...callInput(c),
          offset: c.offset,
          items: c.items.slice(0, c.next),
          total: c.items.length,
          tally: c.tally,
          stopped: c.stopped,
          failed: c.stopped || resultOf(c).exitCode !== 0
        })
      },
      on: {
        'call.reported': { target: 'ended', actions: withEvent('noteReport') },
        'attempt.stop': { actions: 'hurryReport' },
        'attempt.kill': { actions: 'hurryReport' }
      }
    },
    givenUp: { description: 'Stopped before anything was called.', type: 'final', entry: 'sayStopped' },
    ended: { description: 'The node has been notified.', type: 'final', entry: 'sayEnded' }
  }
})

const fault = (error: string) => ({ exitCode: 1, partial: false, error })

const callInput = ({
  run,
  place,
  attempt,
  at,
  pass,
  runStatus,
  resumed,
  parallel,
  answers
}: CallContext): CallInput => ({
  run,
  place,
  attempt,
  at,
  pass,
  parallel,
  ...(runStatus === undefined ? {} : { runStatus }),
  ...(answers === undefined ? {} : { answers }),
  ...(resumed === undefined ? {} : { resumed })
})

const subRunInput = (c: CallContext, index: number, findOnly: boolean): SubRunInput => ({
  caller: callInput(c),
  index,
  item: c.items[index] as SubRunRef, // callers stay below its length
  plan: c.plan,
  findOnly
})
