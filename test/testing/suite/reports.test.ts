/** What `troupe test` reports: coverage, text, TAP and JUnit. Source: embedding 3. */
import { expect } from 'chai'
import { coverageReport, junitReport, tapReport, textReport } from '../../../src/testing/suite/reports.ts'
import { failuresOf, MOCKS, playedSuites, problemsOf } from '../../support/testing/suites.ts'

describe('troupe test', () => {
  const suites = playedSuites()
  describe('reports', () => {
    const TWO = `${MOCKS}tests:
  - name: "good & <fine> #1"
  - name: bad
    expect: {status: failed}
`
    it('coverage names the steps, handlers and branches that no test has reached', async () => {
      const result = await suites.played(TWO, 'etl.test.yaml', true)
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
      const other = await suites.played(
        `${MOCKS}tests:
  - name: fails
    mocks: {steps: {extract: [{exit: 1}, {exit: 1}, {exit: 1}]}}
    expect: {status: failed}
`,
        'more.test.yaml'
      )
      expect(problemsOf(other)[0]).to.contain('there is no definition')
      const [one, two] = [
        await suites.played(TWO, 'etl.test.yaml', true),
        await suites.played(
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
    it('no coverage where no test could be read', async () => {
      suites.beginAnew()
      expect(coverageReport([await suites.played('tests: 1\n', 'odd.test.yaml', true)])).to.equal('')
    })
    it('text, TAP and JUnit', async () => {
      suites.beginAnew()
      const results = [await suites.played(TWO), await suites.played('tests: 1\n', 'odd.test.yaml')]
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
