/** What a plan has where a definition says nothing. */
import { expect } from 'chai'
import { planIdentity } from '../../src/definition/plan-identity.ts'
import { planOf } from './reading.ts'

describe('reader › defaults (execution-semantics 1.8)', () => {
  it('fills in every default of a plan and of a step', () => {
    expect(planOf('steps: [{name: a, command: x}]')).to.deep.equal({
      name: 'demo',
      group: '',
      description: '',
      tags: [],
      type: 'chain',
      env: [],
      dotenv: ['.env'],
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
      cleanUpMs: 5000,
      maxOutputSize: 1048576,
      handlers: {},
      steps: [
        {
          name: 'a',
          description: '',
          command: 'x',
          args: [],
          depends: [],
          preconditions: [],
          continueOn: { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false },
          retry: { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 },
          env: [],
          timeoutMs: 0,
          executor: { type: 'shell', config: {} },
          mailOnError: false,
          shellPackages: []
        }
      ],
      locals: []
    })
  })

  it('maxActiveRuns 1 when absent or 0; negative = no limit', () => {
    expect(
      [planOf('maxActiveRuns: 0'), planOf('maxActiveRuns: -1'), planOf('maxActiveRuns: 4')].map(
        (plan) => plan.maxActiveRuns
      )
    ).to.deep.equal([1, -1, 4])
  })

  it('maxCleanUpTimeSec 5 (also for 0), maxOutputSize 1048576 bytes', () => {
    expect(planOf('maxCleanUpTimeSec: 0\nmaxOutputSize: 0')).to.include({ cleanUpMs: 5000, maxOutputSize: 1048576 })
    expect(planOf('maxCleanUpTimeSec: 7\nmaxOutputSize: 10\ntimeoutSec: 3\nmaxActiveSteps: 2')).to.include({
      cleanUpMs: 7000,
      maxOutputSize: 10,
      timeoutMs: 3000,
      maxActiveSteps: 2
    })
  })

  it('a plan is JSON only', () => {
    const plan = planOf('workingDir: /w\nshell: sh\nenv: {A: 1}\nsteps: [{command: [a], retryPolicy: {limit: 1}}]')
    expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan)
  })
})

describe('reader › the order of a plan', () => {
  const FULL = `
name: full
description: d
group: g
tags: [a]
shell: bash
shellExpansion: text
workingDir: /w
env: {A: b}
params: {schema: s.json, values: [P=1]}
preconditions: test -f x
schedule: "0 1 * * *"
restartWaitSec: 1
queue: q
logDir: /l
secrets: [{name: S, provider: env, key: K}]
errorMail: {from: a@b, to: c@d}
smtp: {host: h}
workerSelector: {gpu: "true"}
onWorkerLost: wait
container: {image: i, name: n, user: u, startup: command, command: [x]}
otel: {enabled: true}
handlerOn: {exit: echo}
version: "7"
onDrift: fail
result: a
maxActiveRuns: 2
steps:
  - {name: a, id: i, command: [x], args: [y], shell: sh, dir: /d, stdout: o, stderr: e, output: V, continueOn: {exitCode: 1, output: w},
     retryPolicy: {limit: 1, exitCode: 2, backoff: true}, env: {C: d}, signalOnStop: SIGINT, onInterrupt: fail, maxCleanUpTimeSec: 3,
     repeatPolicy: {repeat: until, condition: c, expected: e}, onMissing: fail, functions: {preconditions: f}}
  - {name: b, call: c, params: P=2, parallel: [i], mailOnError: true}
  - {name: c, executor: {type: function, config: {name: f}}, each: {items: [1]}}
`
  // D1742: a plan has its members in one order, whatever the order of the rows
  it('is that of all releases: the version of a workflow in code follows from it', () => {
    expect(planIdentity(planOf(FULL))).to.equal('_ndnGp8IsgrNkHL965YAAlEfSr0mabTxG6_PbU1Mc_w')
  })
})
