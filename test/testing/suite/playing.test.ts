/** `*.test.yaml`: how a test is played. Source: embedding 3. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { totalsOf } from '../../../src/testing/suite/reports.ts'
import { failuresOf, MOCKS, playedSuites, problemsOf } from '../../support/testing/suites.ts'

describe('troupe test', () => {
  const suites = playedSuites()
  describe('a test of steps that wait', () => {
    const ORDER = `
name: order
type: graph
steps:
  - name: ask
    executor: {type: approval, config: {ask: Ship it?}}
    timeoutSec: 604800
  - name: ship
    command: ship
    depends: ask
`
    before(() => writeFileSync(join(suites.folder, 'order.yaml'), ORDER))
    it('gives signals and approvals, and lets their time run out', async () => {
      const result = await suites.played(
        `mocks: {steps: {ship: ""}}
tests:
  - name: is approved after two days
    do:
      - start:
      - advance: 2d
      - expect: {status: running, steps: {ask: running}}
      - signal: {step: ask, payload: {approved: true, note: fine}, by: anna}
    expect: {status: succeeded, steps: {ship: {calls: 1}}}
  - name: is refused
    do:
      - start:
      - signal: {step: ask, payload: {approved: false}}
    expect: {status: failed, steps: {ask: {status: failed, error: refused}, ship: canceled}}
  - name: nobody answers for a week
    expect: {status: failed, steps: {ask: failed}}
  - name: a step that waits for nothing
    do:
      - start:
      - signal: {step: ship}
`,
        'order.test.yaml'
      )
      expect(problemsOf(result)).to.deep.equal([])
      expect(failuresOf(result)).to.have.length(1)
      expect(failuresOf(result)[0]).to.contain('ship')
    })
  })

  describe('a test', () => {
    it('starts the workflow, and goes on until it has ended', async () => {
      const result = await suites.played(`${MOCKS}tests:
  - name: retries twice, an hour apart at most
    params: {DAY: "2"}
    mocks:
      steps:
        extract: [{exit: 1, times: 2}, {stdout: "5", after: 40s}]
    expect:
      status: succeeded
      params: {DAY: "2"}
      path: [preparing, working, succeeded]
      steps:
        extract: {calls: 3, output: "5", exitCode: 0}
        load: succeeded
        onFailure: not_started
`)
      expect(failuresOf(result)).to.deep.equal([])
      expect(totalsOf([result])).to.deep.equal({ passed: 1, failed: 0, unread: 0 })
    })
    it('says where an expectation does not hold, and what was found', async () => {
      const result = await suites.played(`${MOCKS}tests:
  - name: wrong
    mocks: {steps: {load: {exit: 3, stderr: disk full}}}
    expect:
      status: succeeded
      error: never
      steps:
        load: {error: disk full, exitCode: 4, path: [attempting.executing]}
        report: skipped
`)
      expect(failuresOf(result)).to.deep.equal([
        '6:7 the status of the run: wanted "succeeded", found "failed"',
        '7:7 the error of the run: wanted a text with "never", found nothing',
        '9:34 the exitCode of step "load": wanted 4, found 3',
        '9:47 the path of step "load": wanted ["attempting.executing"], found ["attempting.executing","failed"]',
        `10:9 step "report" of ${/step "report" of (run \S+ of etl)/.exec(failuresOf(result)[4] ?? '')?.[1]}: wanted "skipped", found "canceled"`
      ])
    })
    it('what is not mocked fails it by name, at the step of time that needed it', async () => {
      const result = await suites.played(`tests:
  - name: nothing is mocked
    do:
      - start:
      - advance: 1m
`)
      expect(failuresOf(result)).to.deep.equal([
        "5:9 step etl/extract is not mocked: mock('etl/extract', ...) or passThrough('etl/extract')"
      ])
    })
    it('time, crashes, stops, retries and expectations follow one another', async () => {
      const result = await suites.played(`now: 2026-03-28T12:00
timeZone: Europe/Berlin
${MOCKS}tests:
  - name: by the schedule, through a night without three o'clock
    schedules: true
    do:
      - until: 2026-03-29T03:00
      - expect: {runs: [succeeded]}
      - advance: 1d
      - expect: {runs: [succeeded, succeeded]}
  - name: step by step
    mocks: {steps: {load: {after: 5m}}}
    do:
      - start: {id: mine, params: DAY=3}
      - advance: 1m
      - expect: {status: running, params: {DAY: "3"}}
      - crash:
      - advance: 1m
      - stop:
      - advance: 1m
      - expect: {status: canceled, steps: {load: canceled}}
      - mock: {steps: {load: ok}}
      - retry:
      - advance: 1m
    expect: {status: succeeded, steps: {extract: {calls: 1}, load: {calls: 2}}}
  - name: at every event
    do:
      - crash: {event: 4}
      - advance: 1h
    expect: {status: succeeded}
`)
      expect(failuresOf(result)).to.deep.equal([])
      expect(result.tests.map(({ ok }) => ok)).to.deep.equal([true, true, true])
    })
    it('20 a start with `at` waits for its time, over a crash, too; 32 its key again is the same run; 37 a retry from a step on', async () => {
      const result = await suites.played(`now: 2026-03-28T12:00
${MOCKS}tests:
  - name: later
    do:
      - start: {id: mine, at: +10m, idempotencyKey: k}
      - start: {id: other, at: +10m, idempotencyKey: k}
      - advance: 9m
      - crash:
      - expect: {status: queued, runs: [queued]}
      - advance: 2m
      - expect: {status: succeeded, runs: [succeeded]}
      - retry: {step: extract, downstream: true}
      - advance: 1m
    expect: {status: succeeded, runs: [succeeded], steps: {extract: {calls: 2}, load: {calls: 2}}}
  - name: passed while it was down
    do:
      - start: {at: +10m}
      - crash:
      - until: 2026-03-28T13:00
    expect: {runs: [succeeded]}
`)
      expect([...problemsOf(result), ...failuresOf(result)]).to.deep.equal([])
    })
    it('types of executors and called workflows', async () => {
      writeFileSync(join(suites.folder, 'outer.yaml'), 'steps: [{name: each, run: inner, params: "N=7"}]\n')
      writeFileSync(
        join(suites.folder, 'inner.yaml'),
        'params: N=1\nsteps: [{name: get, executor: http, command: "GET https://example.test/$N", output: X}]\n'
      )
      const result = await suites.played(
        `workflows: [inner.yaml]
tests:
  - name: calls
    mocks: {types: {http: {output: {a: 1}}}}
    expect: {status: succeeded, steps: {each: succeeded, inner/get: {output: {a: 1}, calls: 1}}}
`,
        'outer.test.yaml'
      )
      expect([...problemsOf(result), ...failuresOf(result)]).to.deep.equal([])
    })
  })
})
