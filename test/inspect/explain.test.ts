/** Why a run and its steps wait or ended: each cause with an engine brought into it. Source: issue "Watchable"; docs/inspect.md. */
import { expect } from 'chai'
import { type Brought, brought, metIn } from '../support/explanations.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated-clock.ts'
import { simulatedFacts } from '../support/simulated-facts.ts'
import { simulate } from '../support/simulation.ts'

const steps = (...all: string[]) => `type: graph\nsteps:\n${all.map((step) => `  - ${step}\n`).join('')}`
const one = (more = '') => steps(`{name: a, command: x${more}}`)
const fails = (code = 3) => ({ script: () => ({ ms: 1_000, exitCode: code }) })
const succeeds = { ms: 1_000, exitCode: 0 }
const failed = { ms: 1_000, exitCode: 3 }
const parent = (call: string, kid = 'steps: [{name: k, command: x}]') =>
  `steps:\n  - {name: calls, ${call}}\n---\nname: kid\n${kid}\n`

type Case = [title: string, wish: Brought, expected: Record<string, string>]
const table = (title: string, cases: Case[]) =>
  describe(`explain › ${title}`, () => {
    for (const [name, wish, expected] of cases)
      it(name, async () => {
        const met = await brought(wish)
        expect(met.causes).to.deep.include(expected)
        await met.simulation.store.root.close()
      })
  })

table('a run at work', [
  [
    'its variables are being evaluated',
    { spec: `env: [{X: "\`sleep 0.5\`"}]\n${one()}`, hangs: 'sleep 0.5', until: ['/r', 'preparing'] },
    { dag: 'run_preparing', a: 'run_not_ready' }
  ],
  [
    'its preconditions are being checked',
    { spec: `preconditions: [{condition: slow}]\n${one()}`, hangs: 'slow', until: ['/r', 'checking'] },
    { dag: 'run_conditions_checked', a: 'run_not_ready' }
  ],
  [
    'its initial delay is not over',
    { spec: `delaySec: 30\n${one()}`, until: ['/r', 'delaying'] },
    { dag: 'run_delay', a: 'run_not_ready' }
  ],
  [
    'its steps are at work; a handler comes later',
    { spec: `handlerOn: {exit: x}\n${one()}`, until: ['node/a', 'attempting.executing'] },
    { dag: 'steps_at_work', a: 'starting', onExit: 'handler_later' }
  ],
  [
    'it was asked to stop, and a step does not end',
    {
      spec: one(),
      script: () => ({ ms: 90_000, exitCode: 0, is: 'deaf' }),
      until: ['node/a', 'attempting.executing'],
      act: ({ system }, key) => system.stop(key),
      next: ['/r', 'stopping']
    },
    { dag: 'run_stopping', a: 'stop_asked' }
  ],
  [
    'a step that was asked to stop is killed when its time is over',
    {
      spec: one(),
      script: () => ({ ms: 90_000, exitCode: 0, is: 'undead' }),
      until: ['node/a', 'attempting.executing'],
      act: ({ system }, key) => system.stop(key),
      next: ['node/a', 'attempting.stopping.killed']
    },
    { dag: 'run_stopping', a: 'stop_killed' }
  ],
  [
    'its time is over, and a step does not end',
    {
      spec: `timeoutSec: 5\n${one()}`,
      script: () => ({ ms: 90_000, exitCode: 0, is: 'deaf' }),
      until: ['/r', 'stopping']
    },
    { dag: 'run_timeout_stopping', a: 'stop_asked' }
  ],
  [
    'the handler of its outcome is at work',
    { spec: `handlerOn: {success: x, failure: x, exit: x}\n${one()}`, until: ['/r', 'concluding.answering'] },
    { dag: 'handler_at_work', onSuccess: 'starting', onFailure: 'handler_not_due', onExit: 'handler_later' }
  ],
  [
    'its exit handler is at work',
    { spec: `handlerOn: {exit: x}\n${one()}`, until: ['/r', 'concluding.exiting'] },
    { dag: 'exit_handler_at_work', onExit: 'starting' }
  ]
])

table('a step that has not started', [
  [
    'it waits for the steps that it depends on',
    {
      spec: steps('{name: a, command: x}', '{name: b, command: x, depends: a}'),
      until: ['node/a', 'attempting.executing']
    },
    { b: 'dependencies' }
  ],
  [
    'it is ready, and maxActiveSteps are at work',
    {
      spec: `maxActiveSteps: 1\n${steps('{name: a, command: x}', '{name: b, command: x}')}`,
      until: ['node/a', 'attempting.executing']
    },
    { b: 'max_active_steps' }
  ]
])

table('a step at work', [
  [
    'its preconditions are being checked',
    { spec: one(', preconditions: [{condition: slow}]'), hangs: 'slow', until: ['node/a', 'preparing'] },
    { a: 'step_conditions' }
  ],
  [
    'its retry policy is being evaluated',
    {
      spec: `env: [{N: "1"}]\n${one(', retryPolicy: {limit: "`slow`", intervalSec: 1}')}`,
      hangs: 'slow',
      until: ['node/a', 'preparing']
    },
    { a: 'step_preparing' }
  ],
  [
    'it waits for its next attempt',
    { spec: one(', retryPolicy: {limit: 2, intervalSec: 60}'), ...fails(), until: ['node/a', 'waiting'] },
    { a: 'retry_wait' }
  ],
  [
    'it waits for its next pass',
    { spec: one(', repeatPolicy: {repeat: true, intervalSec: 60}'), until: ['node/a', 'repeating'] },
    { a: 'repeat_wait' }
  ],
  [
    'the condition of its repeatPolicy is being checked',
    {
      spec: one(', repeatPolicy: {repeat: while, condition: slow, intervalSec: 60}'),
      hangs: 'slow',
      until: ['node/a', 'testing']
    },
    { a: 'repeat_condition' }
  ],
  [
    'its time is over: it was asked to end',
    {
      spec: one(', timeoutSec: 5'),
      script: () => ({ ms: 90_000, exitCode: 0, is: 'deaf' }),
      until: ['node/a', 'attempting.expiring.asked']
    },
    { a: 'timeout_asked' }
  ],
  [
    'its time is over: it was killed',
    {
      spec: one(', timeoutSec: 5'),
      script: () => ({ ms: 90_000, exitCode: 0, is: 'undead' }),
      until: ['node/a', 'attempting.expiring.killed']
    },
    { a: 'timeout_killed' }
  ],
  [
    'it has begun, and has a time limit',
    {
      spec: one(', timeoutSec: 50'),
      until: ['node/a', 'attempting.executing'],
      act: ({ journal, play }, key) => play(() => journal(key).some(({ event }) => event === 'attempt.began'))
    },
    { a: 'executing' }
  ],
  [
    'it repeats and was asked to stop: its last pass',
    {
      spec: `maxCleanUpTimeSec: 60\n${one(', repeatPolicy: {repeat: true, intervalSec: 60}')}`,
      until: ['node/a', 'attempting.executing'],
      act: ({ system }, key) => system.stop(key),
      next: ['node/a', 'attempting.finishing']
    },
    { a: 'last_pass' }
  ],
  [
    'its sub DAG runs are at work',
    {
      spec: parent('run: kid'),
      until: ['node/calls/attempt', 'working'],
      act: ({ record, play }) => play(() => record({ name: 'dag', dagRunId: 'r' }) !== undefined)
    },
    { calls: 'sub_runs' }
  ],
  [
    'items wait for maxConcurrent sub DAG runs',
    {
      spec: parent('run: kid, parallel: {items: [a, b, c], maxConcurrent: 1}'),
      until: ['node/calls/attempt', 'working']
    },
    { calls: 'sub_run_limit' }
  ],
  [
    'what it calls is being evaluated',
    { spec: parent('run: kid, params: "X=`slow`"'), hangs: 'slow', until: ['node/calls', 'attempting.executing'] },
    { calls: 'call_resolving' }
  ],
  [
    'it was asked to stop, and its sub DAG runs have not ended',
    {
      spec: parent('run: kid', 'maxCleanUpTimeSec: 60\nsteps: [{name: k, command: x}]'),
      script: () => ({ ms: 90_000, exitCode: 0, is: 'deaf' }),
      until: ['node/calls/attempt', 'working'],
      act: async ({ system, play, begun }, key) => {
        await play(() => begun.length > 0)
        await system.stop(key)
      },
      next: ['node/calls/attempt', 'stopping']
    },
    { calls: 'sub_runs_stopping' }
  ]
])

table('a step that did not simply succeed', [
  ['its execution failed', { spec: one(), ...fails() }, { dag: 'steps_failed', a: 'exit_code' }],
  [
    'its last retry failed too',
    { spec: one(', retryPolicy: {limit: 2, intervalSec: 1}'), ...fails() },
    { a: 'retries_used_up' }
  ],
  [
    'its exit code is none that is retried',
    { spec: one(', retryPolicy: {limit: 2, intervalSec: 1, exitCode: [7]}'), ...fails() },
    { a: 'not_retried' }
  ],
  [
    'its time was over',
    { spec: one(', timeoutSec: 5'), script: () => ({ ms: 90_000, exitCode: 0 }) },
    { a: 'step_timed_out' }
  ],
  [
    'it could not be set up',
    { spec: `env: [{N: "x"}]\n${one(', retryPolicy: {limit: "$N", intervalSec: 1}')}` },
    { a: 'step_unprepared' }
  ],
  [
    'it was skipped: a precondition did not hold; and so were those behind it',
    {
      spec: steps('{name: a, command: x, preconditions: [{condition: no}]}', '{name: b, command: x, depends: a}'),
      fails: 'no'
    },
    { a: 'condition_not_met', b: 'upstream_skipped' }
  ],
  [
    'it was not run because a step failed, and another because that was canceled',
    {
      spec: steps('{name: a, command: x}', '{name: b, command: x, depends: a}', '{name: c, command: x, depends: b}'),
      ...fails()
    },
    { b: 'upstream_failed', c: 'upstream_canceled' }
  ],
  [
    'the time of the run was over before its turn',
    { spec: `timeoutSec: 5\n${steps('{name: a, command: x}', '{name: b, command: x, depends: a}')}` },
    { dag: 'run_timed_out', a: 'stopped', b: 'run_timed_out' }
  ],
  [
    'it was stopped, and another never started',
    {
      spec: steps('{name: a, command: x}', '{name: b, command: x, depends: a}'),
      until: ['node/a', 'attempting.executing'],
      act: ({ system }, key) => system.stop(key),
      next: 'end'
    },
    { dag: 'stopped_by_request', a: 'stopped', b: 'run_stopped' }
  ],
  [
    'it failed, and that counts as success',
    { spec: one(', continueOn: {exitCode: [3], markSuccess: true}'), ...fails() },
    { a: 'marked_success' }
  ],
  ['a sub DAG run failed', { spec: parent('run: kid'), ...fails() }, { calls: 'sub_run_failed' }],
  [
    'a sub DAG run succeeded only partially',
    {
      spec: parent(
        'run: kid',
        'type: graph\nsteps: [{name: k, command: x, continueOn: {failure: true}}, {name: l, command: x}]'
      ),
      script: (step) => (step === 'k' ? failed : succeeds)
    },
    { calls: 'sub_run_partial' }
  ],
  ['its sub workflow could not be called', { spec: 'steps: [{name: calls, run: nobody}]\n' }, { calls: 'call_failed' }]
])

table('a run that did not simply succeed', [
  [
    'it could not be set up, and no step started',
    { spec: `workingDir: /proc/nowhere\n${one()}` },
    { dag: 'run_unprepared', a: 'run_failed_before' }
  ],
  [
    'its preconditions did not hold',
    { spec: `preconditions: [{condition: no}]\n${one()}`, fails: 'no' },
    { dag: 'run_conditions_not_met', a: 'run_conditions' }
  ],
  [
    'a handler failed',
    { spec: `handlerOn: {exit: x}\n${one()}`, script: (step) => (step === 'onExit' ? failed : succeeds) },
    { dag: 'handler_failed', onExit: 'exit_code' }
  ],
  [
    'a step failed and the run went on without it',
    {
      spec: steps('{name: a, command: x, continueOn: {failure: true}}', '{name: b, command: x}'),
      script: (step) => (step === 'a' ? failed : succeeds)
    },
    { dag: 'some_steps_failed', a: 'exit_code' }
  ],
  ['a handler of another end', { spec: `handlerOn: {failure: x}\n${one()}` }, { onFailure: 'handler_not_due' }]
])

describe('explain › what a reason says', () => {
  it('each precondition that did not hold, and what it found: of a step, and of the DAG', async () => {
    const conditions = 'preconditions: [{condition: "$N", expected: "4"}, {condition: "fine"}, {condition: "unready"}]'
    const found =
      '`$N` (condition was not met: expected "4", got "3"); `unready` (condition was not met: exit status 1)'
    const unmet = { blockedBy: ['$N', 'unready'].map((name) => ({ kind: 'condition', name })) }
    const step = await brought({ spec: `env: [{N: "3"}]\n${one(`, ${conditions}`)}`, fails: 'unready' })
    expect(step.about('a')).to.deep.include({ ...unmet, text: `a was skipped: preconditions did not hold: ${found}` })
    const dag = await brought({ spec: `env: [{N: "3"}]\n${conditions}\n${one()}`, fails: 'unready' })
    expect(dag.about('dag')).to.deep.include({ ...unmet, text: `preconditions of the DAG did not hold: ${found}` })
    for (const { simulation } of [step, dag]) await simulation.store.root.close()
  })

  it('since when, until when, what blocks it and what would unblock it', async () => {
    const { about, simulation } = await brought({
      spec: steps(
        '{name: a, command: x, retryPolicy: {limit: 2, intervalSec: 60}}',
        '{name: b, command: x, depends: a}'
      ),
      ...fails(),
      until: ['node/a', 'waiting']
    })
    const { since = 0, until, ...reason } = about('a')
    expect(reason).to.deep.equal({
      cause: 'retry_wait',
      about: { kind: 'node', name: 'a' },
      waiting: true,
      text: 'a has failed and waits 60 s for retry 1 of 2',
      blockedBy: [{ kind: 'clock', name: 'retryPolicy.intervalSec' }],
      unblock: 'It is executed again when the interval of its retryPolicy is over.'
    })
    expect(until).to.equal(since + 60_000)
    expect(about('b').blockedBy).to.deep.equal([{ kind: 'step', name: 'a' }])
    expect(about('dag')).to.deep.include({
      about: { kind: 'run', name: 'dag' },
      blockedBy: [{ kind: 'step', name: 'a' }]
    })
    await simulation.store.root.close()
  })
  it('a run in which all went well has no reasons; one step can be asked for, an unknown one is refused', async () => {
    const { reasons, facts, key, simulation } = await brought({ spec: one() })
    expect(reasons).to.deep.equal([])
    expect(facts.explain(key, 'a').reasons).to.deep.equal([])
    expect(() => facts.explain(key, 'b')).to.throw('has no step or handler named "b"')
    await simulation.store.root.close()
  })
})

describe('explain › after a restart of the engine', () => {
  /** The engine dies while step `a` is at work; the next one finds what `state` says. */
  async function cutOff(onInterrupt: string, found: 'gone' | 'undead') {
    const home = temporaryFolder()
    const clock = simulatedClock()
    const first = await brought({
      spec: `onInterrupt: ${onInterrupt}\n${one()}`,
      home,
      clock,
      until: ['node/a', 'attempting.executing']
    })
    await first.simulation.crash()
    let end = (_: { exitCode: number; at: number; offset: number }) => {}
    const ended = new Promise<{ exitCode: number; at: number; offset: number }>((resolve) => {
      end = resolve
    })
    const find = () => ({
      began: Promise.resolve(clock.now()),
      ended: found === 'gone' ? Promise.reject(new Error('interrupted: outcome unknown')) : ended,
      over: false,
      stop: () => {},
      kill: () => {}
    })
    const again = await simulate(home, () => succeeds, simulatedClock(clock.now() + 1_000), { find })
    return { again, key: first.key, end }
  }
  it('what lives of a step that may not go on is being killed', async () => {
    const { again, key } = await cutOff('fail', 'undead')
    await again.play(() => again.journal(key).some(({ to }) => to === 'attempting.interrupting'))
    expect(metIn(again, key).causes).to.include({ a: 'interrupting' })
    await again.store.root.close()
  })
  it('a step whose outcome cannot be known is interrupted', async () => {
    const { again, key } = await cutOff('resume', 'gone')
    await again.play()
    expect(metIn(again, key).causes).to.include({ a: 'interrupted' })
    await again.store.root.close()
  })
  it('a run whose state cannot be read is given up', async () => {
    const home = temporaryFolder()
    const first = await brought({ spec: one(), home, until: ['node/a', 'attempting.executing'] })
    const { store } = first.simulation
    const { open: _, ...closed } = store.runs.get(['dag', 'r']) ?? { record: {} as never, seq: 0 }
    await store.runs.put(['dag', 'r'], closed)
    await first.simulation.crash()
    const again = await simulate(home, () => succeeds)
    await again
      .play(() => again.record(first.key)?.status === 'failed')
      .catch((error: Error) => expect(error.message).to.contain('not readable'))
    const { causes, about, facts, key } = metIn(again, first.key)
    expect(causes).to.deep.equal({ a: 'interrupted', dag: 'state_unreadable' })
    expect(about('dag').text).to.match(/^the run could not go on after a restart: .* is not readable/)
    expect(about('dag').unblock).to.contain('retry')
    expect(facts.events(key).events.at(-1)?.record, 'the journal has its end, too').to.include({
      event: 'run.parked',
      to: 'failed'
    })
    expect(facts.run(key).actors.map(({ status }) => status)).to.deep.equal(['done', 'done'])
    await again.store.root.close()
  })
})

describe('explain › what it costs', () => {
  it('the queues are read for a run that waits in one, and for no other', async () => {
    const simulation = await simulate(temporaryFolder(), () => ({ ms: 60_000, exitCode: 0 }), simulatedClock())
    const facts = simulatedFacts(simulation, {
      queues: () => {
        throw new Error('100,000 runs wait')
      }
    })
    const key = await simulation.start(`name: q\n${one()}`, 'r')
    expect(facts.explain(key).reasons).to.have.length.above(0)
    await simulation.play()
    expect(facts.explain(key).subject).to.include({ status: 'succeeded' })
    await simulation.store.root.close()
  })
})
