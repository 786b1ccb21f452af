/** Why a run and its steps ended: each cause with an engine brought into it. Source: docs/inspect.md. */
import { failed, fails, one, parent, steps, succeeds, table } from '../../support/inspect/situations.ts'

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
