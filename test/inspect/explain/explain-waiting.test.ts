/** Why a run and its steps wait: each cause with an engine brought into it. Source: docs/inspect.md. */
import { fails, one, parent, steps, table } from '../../support/inspect/situations.ts'

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
