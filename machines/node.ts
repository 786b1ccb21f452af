/**
 * One step of one run: its preconditions, its attempts and the waits between them. Handlers are nodes too.
 * Source: definition-format "Step fields", execution-semantics 5.2, 6.1, 7.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate'
import { continuesAfterFailure, countsAsSuccess } from './policy/continue-on.ts'
import { retryDue, retryWait } from './policy/retry.ts'
import { type AlarmInput, type AlarmRang, alarm, companion } from './slots.ts'
import type { ConditionResult, NodeStatus, RetryPlan, RunKey, Step } from './vocabulary.ts'

/** Where a node stands in its run: the index of its step, or the handler it is. */
export type NodePlace = number | 'onSuccess' | 'onFailure' | 'onCancel' | 'onExit'

export interface NodeInput {
  run: RunKey
  place: NodePlace
  step: Step
  /** From stop to SIGKILL. */
  cleanUpMs: number
  /** When the node was picked up, epoch ms. */
  at: number
  /** What a handler is told as `DAG_RUN_STATUS`. */
  runStatus?: string
}

export interface NodeContext extends NodeInput {
  startedAt: number
  finishedAt?: number
  /** Executions begun; the attempt's number. */
  attempt: number
  retryCount: number
  doneCount: number
  retry?: RetryPlan
  conditions?: ConditionResult[]
  exitCode?: number
  signal?: string | undefined
  error?: string | undefined
  output?: string | undefined
  continues: boolean
  /** End of the wait before the next attempt. */
  dueAt: number
  /** When an execution that runs out of time must have ended; 0: no limit. */
  timeoutAt: number
  /** When a stopped execution is asked once more, and when it is killed. */
  remindAt: number
  killAt: number
}

/** How one execution ended. */
export interface AttemptEnded {
  type: 'attempt.ended'
  at: number
  /** The process's code; -1: ended by a signal; 1: could not be run; 0: success. */
  exitCode: number
  signal?: string
  /** Why it counts as failed; given with exit code 0 too, when the output could not be captured. */
  error?: string
  output?: string
  /** A line of the stdout log matched `continueOn.output`. Looked up only for a failure. */
  outputMatched?: boolean
}

export type NodeEvent =
  | { type: 'node.stop'; at: number }
  | { type: 'node.prepared'; at: number; retry: RetryPlan; conditions: ConditionResult[]; met: boolean; error?: string }
  | { type: 'node.unprepared'; at: number; error: string }
  | { type: 'attempt.began'; at: number }
  | AttemptEnded
  | AlarmRang

export interface AttemptInput {
  run: RunKey
  place: NodePlace
  attempt: number
  runStatus?: string
  /** The execution may have begun before a restart: find it, do not start it twice. */
  resumed?: boolean
}
export type AttemptCommand = { type: 'attempt.stop'; signal: string } | { type: 'attempt.kill' }

export interface NodeOutput {
  place: NodePlace
  status: NodeStatus
  continues: boolean
  at: number
}

/** SIGTERM is sent again at this distance until the clean-up time is over. Source: execution-semantics 7.3.2. */
const REMIND_MS = 5_000
/** Exit code of a step that ran out of time, whatever its process said. Source: execution-semantics 7.1.4. */
const TIMED_OUT = 124
const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }
const failed = (result: AttemptEnded) => result.exitCode !== 0 || result.error !== undefined
const attemptOf = ({ run, place, attempt, runStatus }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus })
})

const nodeSetup = setup({
  types: {} as { input: NodeInput; context: NodeContext; events: NodeEvent; output: NodeOutput; tags: NodeStatus },
  actors: {
    attempt: companion<AttemptCommand, AttemptInput>('attempt'),
    preparation: companion<{ type: 'preparation.stop' }, AttemptInput>('preparation'),
    alarm
  },
  guards: {
    nothingToPrepare: ({ context: { step } }) =>
      step.preconditions.length === 0 &&
      typeof step.retry.limit === 'number' &&
      typeof step.retry.interval === 'number',
    conditionsMet: (_, { met }: { met: boolean }) => met,
    ok: (_, result: AttemptEnded) => !failed(result),
    retryDue: ({ context: c }, result: AttemptEnded) => retryDue(c.retry ?? noRetry, c.retryCount, result),
    marksSuccess: ({ context: c }, { exitCode, outputMatched = false }: AttemptEnded) =>
      countsAsSuccess(c.step.continueOn, exitCode, outputMatched),
    killDue: ({ context: c }, { at }: AlarmRang) => at >= c.killAt
  },
  actions: {
    takeRetryAsWritten: assign({ retry: ({ context: { step } }) => step.retry as RetryPlan }), // `nothingToPrepare`: no texts in it
    notePreparation: assign((_, p: { retry: RetryPlan; conditions: ConditionResult[] }) => p),
    noteSkip: assign(({ context: c }, { at, error }: { at: number; error?: string }) => ({
      finishedAt: at,
      continues: c.step.continueOn.skipped,
      ...(error ? { error } : {})
    })),
    noteFault: assign(({ context: c }, { at, error }: { at: number; error: string }) => ({
      finishedAt: at,
      error,
      exitCode: 1,
      continues: continuesAfterFailure(c.step.continueOn, 1, false)
    })),
    beginAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    armTimeout: enqueueActions(({ context: c, enqueue }, { at }: { at: number }) => {
      if (c.step.timeoutMs === 0 || c.timeoutAt > 0) return // none, or armed before a restart
      const dueAt = at + c.step.timeoutMs
      enqueue.assign({ timeoutAt: dueAt })
      enqueue.spawnChild('alarm', { id: 'timeout', input: { dueAt } })
    }),
    disarmTimeout: enqueueActions(({ context: c, enqueue }) => {
      if (c.timeoutAt === 0) return
      enqueue.stopChild('timeout')
      enqueue.assign({ timeoutAt: 0 })
    }),
    /** The last execution is what counts: what it did not say, an earlier one has not said either. */
    noteEnd: assign((_, { exitCode, signal, error, output }: AttemptEnded) => ({ exitCode, signal, error, output })),
    noteDone: assign(({ context: c }, { at }: { at: number }) => ({ finishedAt: at, doneCount: c.doneCount + 1 })),
    clearError: assign({ error: undefined, signal: undefined }),
    noteContinue: assign({
      continues: ({ context: c }, { exitCode, outputMatched = false }: AttemptEnded) =>
        continuesAfterFailure(c.step.continueOn, exitCode, outputMatched)
    }),
    planRetry: assign({
      retryCount: ({ context: c }) => c.retryCount + 1,
      dueAt: ({ context: c }, { at }: AttemptEnded) => at + retryWait(c.retry ?? noRetry, c.retryCount + 1)
    }),
    planKill: assign({
      killAt: ({ context: c }, { at }: { at: number }) => at + c.cleanUpMs,
      remindAt: ({ context: c }, { at }: { at: number }) => at + Math.min(REMIND_MS, c.cleanUpMs)
    }),
    planReminder: assign({
      remindAt: ({ context: c }, { at }: { at: number }) =>
        at < c.killAt ? Math.min(at + REMIND_MS, c.killAt) : at + REMIND_MS
    }),
    askToStop: sendTo('attempt', ({ context: { step } }) => ({
      type: 'attempt.stop',
      signal: step.signalOnStop ?? 'SIGTERM'
    })),
    askAgain: sendTo('attempt', { type: 'attempt.stop', signal: 'SIGTERM' }),
    kill: sendTo('attempt', { type: 'attempt.kill' }),
    noteCancel: assign((_, { at }: { at: number }) => ({ finishedAt: at })),
    noteExpiry: assign(({ context: c }, { at, outputMatched = false }: AttemptEnded) => {
      const ran = at - (c.killAt - c.cleanUpMs) + c.step.timeoutMs
      return {
        finishedAt: at,
        exitCode: TIMED_OUT,
        error: `step timed out after ${seconds(ran)} (timeout: ${seconds(c.step.timeoutMs)})`,
        continues: continuesAfterFailure(c.step.continueOn, TIMED_OUT, outputMatched)
      }
    })
  }
})

/** A process that must end: asked, asked again, then killed. */
const untilItEnds = nodeSetup.createStateConfig({
  entry: 'askToStop',
  initial: 'asked',
  states: {
    asked: {
      description: 'Waiting for the process to end by itself.',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
      on: {
        'alarm.rang': [
          {
            guard: { type: 'killDue', params: ({ event }) => event },
            target: 'killed',
            actions: { type: 'planReminder', params: ({ event }) => event }
          },
          {
            target: 'asked',
            reenter: true,
            actions: ['askAgain', { type: 'planReminder', params: ({ event }) => event }]
          }
        ]
      }
    },
    killed: {
      description: 'The clean-up time is over: the whole group is killed, and again if a restart has lost that.',
      entry: 'kill',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
      on: {
        'alarm.rang': {
          target: 'killed',
          reenter: true,
          actions: { type: 'planReminder', params: ({ event }) => event }
        }
      }
    }
  }
})

export const nodeMachine = nodeSetup.createMachine({
  id: 'node',
  description: 'One step of one run: from the moment its dependencies let it go to its end.',
  context: ({ input }) => ({
    ...input,
    startedAt: input.at,
    attempt: 0,
    retryCount: 0,
    doneCount: 0,
    continues: false,
    dueAt: 0,
    timeoutAt: 0,
    remindAt: 0,
    killAt: 0
  }),
  initial: 'picked',
  output: ({ context: c, event }) => ({
    place: c.place,
    status: (event as unknown as { output: NodeStatus }).output, // of the final state that was reached
    continues: c.continues,
    at: c.finishedAt ?? c.at
  }),
  states: {
    picked: {
      description: 'Just released. A step without preconditions goes straight to its first attempt.',
      tags: 'running',
      always: [
        { guard: 'nothingToPrepare', target: 'attempting', actions: 'takeRetryAsWritten' },
        { target: 'preparing' }
      ]
    },
    preparing: {
      description:
        'Its preconditions are being looked at, before the first attempt only. One that does not hold skips the step.',
      tags: 'running',
      invoke: { id: 'preparation', src: 'preparation', input: ({ context }) => attemptOf(context) },
      on: {
        'node.prepared': [
          {
            guard: { type: 'conditionsMet', params: ({ event }) => event },
            target: 'attempting',
            actions: { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) }
          },
          {
            target: 'skipped',
            actions: [
              { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) },
              { type: 'noteSkip', params: ({ event }) => event }
            ]
          }
        ],
        'node.unprepared': { target: 'failed', actions: { type: 'noteFault', params: ({ event }) => event } },
        'node.stop': { target: 'canceled', actions: { type: 'noteCancel', params: ({ event }) => event } }
      }
    },
    attempting: {
      description: 'An execution is at work. It outlives `executing`, so that a stop can wait for it.',
      entry: 'beginAttempt',
      invoke: { id: 'attempt', src: 'attempt', input: ({ context }) => attemptOf(context) },
      initial: 'executing',
      states: {
        executing: {
          description: 'The executor runs the step.',
          tags: 'running',
          exit: 'disarmTimeout',
          on: {
            'attempt.began': { actions: { type: 'armTimeout', params: ({ event }) => event } },
            'attempt.ended': [
              {
                guard: { type: 'ok', params: ({ event }) => event },
                target: '#node.succeeded',
                actions: [
                  { type: 'noteEnd', params: ({ event }) => event },
                  { type: 'noteDone', params: ({ event }) => event }
                ]
              },
              {
                guard: { type: 'retryDue', params: ({ event }) => event },
                target: '#node.waiting',
                actions: [
                  { type: 'noteEnd', params: ({ event }) => event },
                  { type: 'planRetry', params: ({ event }) => event }
                ]
              },
              {
                guard: { type: 'marksSuccess', params: ({ event }) => event },
                target: '#node.succeeded',
                actions: [
                  { type: 'noteEnd', params: ({ event }) => event },
                  { type: 'noteDone', params: ({ event }) => event }
                ]
              },
              {
                target: '#node.failed',
                actions: [
                  { type: 'noteEnd', params: ({ event }) => event },
                  { type: 'noteDone', params: ({ event }) => event },
                  { type: 'noteContinue', params: ({ event }) => event }
                ]
              }
            ],
            'alarm.rang': { target: 'expiring', actions: { type: 'planKill', params: ({ event }) => event } },
            'node.stop': { target: 'stopping', actions: { type: 'planKill', params: ({ event }) => event } }
          }
        },
        stopping: {
          ...untilItEnds,
          description: 'Asked to stop: signalOnStop first, SIGTERM every 5 s, SIGKILL when the clean-up time is over.',
          tags: 'canceled',
          on: {
            'attempt.ended': {
              target: '#node.canceled',
              actions: [
                { type: 'noteEnd', params: ({ event }) => event },
                { type: 'noteCancel', params: ({ event }) => event }
              ]
            }
          }
        },
        expiring: {
          ...untilItEnds,
          description: 'timeoutSec is over: ended like a stop, but the step fails with code 124.',
          tags: 'running',
          on: {
            'attempt.ended': [
              {
                guard: { type: 'marksSuccess', params: ({ event }) => ({ ...event, exitCode: TIMED_OUT }) },
                target: '#node.succeeded',
                actions: [
                  { type: 'noteDone', params: ({ event }) => event },
                  { type: 'noteExpiry', params: ({ event }) => event }
                ]
              },
              {
                target: '#node.failed',
                actions: [
                  { type: 'noteDone', params: ({ event }) => event },
                  { type: 'noteExpiry', params: ({ event }) => event }
                ]
              }
            ],
            'node.stop': 'stopping'
          }
        }
      }
    },
    waiting: {
      description: 'Between attempts, until retryPolicy.intervalSec has passed; the wait outlives the process.',
      tags: 'running',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
      on: {
        'alarm.rang': { target: 'attempting', actions: 'clearError' },
        'node.stop': { target: 'canceled', actions: { type: 'noteCancel', params: ({ event }) => event } }
      }
    },
    succeeded: {
      description: 'The last execution succeeded, or its failure counts as success.',
      type: 'final',
      tags: 'succeeded',
      output: 'succeeded'
    },
    failed: {
      description: 'The last execution failed and is not tried again.',
      type: 'final',
      tags: 'failed',
      output: 'failed'
    },
    skipped: { description: 'A precondition did not hold.', type: 'final', tags: 'skipped', output: 'skipped' },
    canceled: { description: 'Stopped before its end.', type: 'final', tags: 'canceled', output: 'canceled' }
  }
})

const seconds = (ms: number) => `${Math.round(ms / 100) / 10}s`

/** The status a snapshot stands for: the tag of its innermost state. */
export const statusOf = (snapshot: { tags: ReadonlySet<string> }): NodeStatus => {
  const [tag = 'not_started'] = snapshot.tags
  return tag as NodeStatus // tags are typed as statuses by `setup`
}
