/** `*.test.yaml`: what a test file may say, all of its problems with line and column, and how it is played. Source: embedding 3. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { playSuite, type SuiteResult } from '../../../src/testing/suite/play-suite.ts'
import { readSuite } from '../../../src/testing/suite/read-suite.ts'
import { coverageReport, junitReport, tapReport, textReport, totalsOf } from '../../../src/testing/suite/reports.ts'

const ETL = `
name: etl
schedule: "0 3 * * *"
params: DAY=1
type: graph
handlerOn: {failure: {command: page someone}}
steps:
  - {name: extract, command: curl, output: ROWS, retryPolicy: {limit: 2, intervalSec: 60}}
  - {name: load, command: load $ROWS, depends: extract, timeoutSec: 600}
  - name: report
    depends: load
    executor: http
    command: POST https://example.test
    preconditions: [{condition: "\${ROWS}", expected: "re:[1-9].*"}]
    continueOn: {failure: true}
`

describe('troupe test', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-suite-'))
    writeFileSync(join(folder, 'etl.yaml'), ETL)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  let clock = 0
  async function played(text: string, name = 'etl.test.yaml', coverage = false): Promise<SuiteResult> {
    writeFileSync(join(folder, name), text)
    return playSuite(name, folder, { coverage, elapsed: () => clock++ })
  }
  const problemsOf = ({ problems }: Pick<SuiteResult, 'problems'>) =>
    problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
  const failuresOf = ({ tests }: SuiteResult) =>
    tests.flatMap(({ failures }) => failures.map(({ line, column, message }) => `${line}:${column} ${message}`))

  const MOCKS = 'mocks: {steps: {extract: "5", load: "", report: "", onFailure: ""}}\n'

  describe('problems', () => {
    it('all of a file are named, each with line and column', () => {
      const read = readSuite(`now: tomorrow
seed: -1
mock: {}
mocks:
  steps:
    load: {exit: 300, after: soon}
tests:
  - expect: {status: fine}
    do:
      - advance: 5m
        crash:
      - until: 1
  - name: two
`)
      expect(problemsOf(read)).to.deep.equal([
        '1:6 instant: wanted an instant such as 2026-03-29T01:59:00Z, or 2026-03-29T01:59 in the time zone of the test, found "tomorrow"',
        "2:7 field 'seed': wanted an integer from 0 to 2147483647 (value: -1)",
        "3:1 field 'mock': unknown field (did you mean mocks?); known are workflow, workflows, timeZone, now, seed, env, params, mocks, tests",
        "6:18 field 'exit': wanted an integer from 0 to 255 (value: 300)",
        '6:30 duration: wanted a duration such as 90s, 5m, 2h30m or 7d, or milliseconds, found "soon"',
        "8:5 field 'tests[0]': wanted a field 'name', found none",
        '8:22 field \'status\': wanted one of not_started, queued, running, failed, canceled, succeeded, partially_succeeded (value: "fine")',
        "10:9 field 'do[0]': wanted one of start, advance, until, crash, stop, retry, mock, expect, signal, found 2 fields",
        '12:16 instant: wanted an instant such as 2026-03-29T01:59:00Z, or 2026-03-29T01:59 in the time zone of the test, found "1"'
      ])
    })
    it('names of steps are held against the workflow', async () => {
      const result = await played(`tests:
  - name: one
    mocks: {steps: {laod: ""}}
    expect: {steps: {extrakt: failed, other/x: failed}}
`)
      expect(problemsOf(result)).to.deep.equal([
        '3:21 "etl/laod": DAG "etl" has no step named "laod"; did you mean load?; it has extract, load, report, onFailure',
        '4:22 "etl/extrakt": DAG "etl" has no step named "extrakt"; did you mean extract?; it has extract, load, report, onFailure',
        '4:39 "other/x": there is no DAG named "other"'
      ])
      expect(result.tests).to.deep.equal([])
    })
    it('a workflow that is not there, or has problems itself', async () => {
      expect(problemsOf(await played('workflow: nowhere.yaml\ntests: [{name: a}]\n'))[0]).to.match(
        /^1:1 there is no definition .*nowhere\.yaml$/
      )
      mkdirSync(join(folder, 'bad'), { recursive: true })
      writeFileSync(join(folder, 'bad', 'x.yaml'), 'stps: []\n')
      expect(problemsOf(await played('workflow: bad/x.yaml\ntests: [{name: a}]\n'))[0]).to.match(
        /^1:1 .*x\.yaml: .*stps/
      )
    })
    it('YAML that is none, an empty file, a second document, a name that is taken', () => {
      const first = (text: string) => problemsOf(readSuite(text))[0]
      expect(first('tests: [')).to.contain('invalid YAML')
      expect(first('')).to.contain('is empty')
      expect(first('tests: [{name: a}]\n---\ntests: []\n')).to.contain('wanted one document')
      expect(first('tests: [{name: a}, {name: a}]\n')).to.contain('there is another test named "a"')
    })
    it('a signal needs the step that it is for', () => {
      const read = readSuite('tests:\n  - name: a\n    do: [{signal: {payload: 1}}]\n')
      expect(problemsOf(read)).to.have.length(1)
      expect(problemsOf(read)[0]).to.contain('step')
    })
  })

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
    before(() => writeFileSync(join(folder, 'order.yaml'), ORDER))
    it('gives signals and approvals, and lets their time run out', async () => {
      const result = await played(
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
      const result = await played(`${MOCKS}tests:
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
      const result = await played(`${MOCKS}tests:
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
      const result = await played(`tests:
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
      const result = await played(`now: 2026-03-28T12:00
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
    it('types of executors and called workflows', async () => {
      writeFileSync(join(folder, 'outer.yaml'), 'steps: [{name: each, run: inner, params: "N=7"}]\n')
      writeFileSync(
        join(folder, 'inner.yaml'),
        'params: N=1\nsteps: [{name: get, executor: http, command: "GET https://example.test/$N", output: X}]\n'
      )
      const result = await played(
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

  describe('reports', () => {
    const TWO = `${MOCKS}tests:
  - name: "good & <fine> #1"
  - name: bad
    expect: {status: failed}
`
    it('coverage names the steps, handlers and branches that no test has reached', async () => {
      const result = await played(TWO, 'etl.test.yaml', true)
      expect(coverageReport([result])).to.equal(`coverage
etl: 3 of 3 steps, 0 of 1 handlers, 1 of 5 branches
  not reached: handler onFailure
  not reached: branch extract: retried
  not reached: branch load: timed out
  not reached: branch report: a precondition does not hold
  not reached: branch report: failed, and the run goes on
`)
    })
    it('coverage of two files about one workflow is one', async () => {
      const other = await played(
        `${MOCKS}tests:
  - name: fails
    mocks: {steps: {extract: [{exit: 1}, {exit: 1}, {exit: 1}]}}
    expect: {status: failed}
`,
        'more.test.yaml'
      )
      expect(problemsOf(other)[0]).to.contain('there is no definition')
      const [one, two] = [
        await played(TWO, 'etl.test.yaml', true),
        await played(
          `workflow: etl.yaml
${MOCKS}tests:
  - {name: fails, mocks: {steps: {extract: {exit: 1}}}, expect: {status: failed}}
  - {name: too late, mocks: {steps: {load: {after: 1h}}}, expect: {status: failed, steps: {load: {exitCode: 124}}}}
  - {name: nothing, mocks: {steps: {extract: "0"}}, expect: {steps: {report: skipped}}}
  - {name: no report, mocks: {steps: {report: {exit: 1}}}, expect: {status: partially_succeeded}}
`,
          'more.test.yaml',
          true
        )
      ]
      expect(failuresOf(two)).to.deep.equal([])
      expect(coverageReport([one, two])).to.equal('coverage\netl: 3 of 3 steps, 1 of 1 handlers, 5 of 5 branches\n')
    })
    it('text, TAP and JUnit', async () => {
      clock = 0
      const results = [await played(TWO), await played('tests: 1\n', 'odd.test.yaml')]
      const failure = 'the status of the run: wanted "failed", found "succeeded"'
      expect(textReport(results)).to.equal(`etl.test.yaml
  ✓ good & <fine> #1 (1 ms)
  ✗ bad (1 ms)
      etl.test.yaml:5:14: ${failure}
odd.test.yaml
  - odd.test.yaml:1:8: field 'tests': wanted a list (value: 1)
1 passed, 1 failed, 1 file with problems
`)
      expect(tapReport(results)).to.equal(`TAP version 14
1..3
ok 1 - etl.test.yaml › good & <fine> \\#1
  ---
  duration_ms: 1
  ...
not ok 2 - etl.test.yaml › bad
  ---
  duration_ms: 1
  failures:
    - ${JSON.stringify(`etl.test.yaml:5:14: ${failure}`)}
  ...
not ok 3 - odd.test.yaml can be read
  ---
  duration_ms: 0
  failures:
    - "odd.test.yaml:1:8: field 'tests': wanted a list (value: 1)"
  ...
`)
      const xml = junitReport(results)
      expect(xml).to.contain('<testsuite name="etl.test.yaml" tests="2" failures="1">')
      expect(xml).to.contain('name="good &amp; &lt;fine&gt; #1" time="0.001"/>')
      expect(xml).to.contain(
        '<failure message="the status of the run: wanted &quot;failed&quot;, found &quot;succeeded&quot;">'
      )
    })
  })
})
