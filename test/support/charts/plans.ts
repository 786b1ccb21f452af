/** Builders of steps and plans. What a test does not name has the default of execution-semantics 1.8. */
import type { ContinueOn, Plan, Repeat, Retry, RetryPlan, RunKey, Step } from '../../../machines/vocabulary.ts'

export type StepWish = Partial<Omit<Step, 'continueOn' | 'retry'>> & {
  continueOn?: Partial<ContinueOn>
  retry?: Partial<Retry>
}

export const continueOn = (wish: Partial<ContinueOn> = {}): ContinueOn => ({
  failure: false,
  skipped: false,
  exitCodes: [],
  outputs: [],
  markSuccess: false,
  ...wish
})

export const retry = (wish: Partial<RetryPlan> = {}): RetryPlan => ({
  limit: 0,
  interval: 0,
  exitCodes: [],
  backoff: 1,
  maxIntervalMs: 0,
  ...wish
})

/** `repeat: true` unless the wish says otherwise. */
export const repeat = (wish: Partial<Repeat> = {}): Repeat => ({
  mode: 'while',
  exitCodes: [],
  intervalMs: 0,
  limit: 0,
  backoff: 1,
  maxIntervalMs: 0,
  ...wish
})

export const step = (name: string, wish: StepWish = {}): Step => ({
  name,
  description: '',
  command: 'true',
  args: [],
  depends: [],
  preconditions: [],
  env: [],
  timeoutMs: 0,
  executor: { type: 'shell', config: {} },
  mailOnError: false,
  shellPackages: [],
  ...wish,
  continueOn: continueOn(wish.continueOn),
  retry: { ...retry(), ...wish.retry }
})

export const plan = (steps: Step[], wish: Partial<Plan> = {}): Plan => ({
  name: 'dag',
  group: '',
  description: '',
  tags: [],
  type: 'graph',
  env: [],
  dotenv: [],
  params: [],
  preconditions: [],
  schedule: { start: [], stop: [], restart: [] },
  restartWaitMs: 0,
  skipIfSuccessful: false,
  catchup: 'none',
  delayMs: 0,
  histRetentionDays: 30,
  secrets: [],
  mailOn: { failure: false, success: false },
  runConfig: { disableParamEdit: false, disableRunIdEdit: false },
  onInterrupt: 'resume',
  maxActiveRuns: 1,
  statesMaxActiveRuns: false,
  maxActiveSteps: 0,
  timeoutMs: 0,
  cleanUpMs: 5_000,
  maxOutputSize: 1_048_576,
  handlers: {},
  steps,
  locals: [],
  ...wish
})

/** The same steps, each of them also depending on the one before it. */
export const chain = (...steps: Step[]): Step[] =>
  steps.map((step, index) => {
    const before = steps[index - 1]
    return before ? { ...step, depends: [before.name, ...step.depends] } : step
  })

export const key = (dagRunId = 'r1', name = 'dag'): RunKey => ({ name, dagRunId })
