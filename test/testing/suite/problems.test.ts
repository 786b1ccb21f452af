/** `*.test.yaml`: what a test file may say, all of its problems with line and column. Source: embedding 3. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readSuite } from '../../../src/testing/suite/read-suite.ts'
import { playedSuites, problemsOf } from '../../support/testing/suites.ts'

describe('troupe test', () => {
  const suites = playedSuites()
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
        '8:22 field \'status\': wanted one of not_started, running, failed, canceled, succeeded, queued, partially_succeeded (value: "fine")',
        "10:9 field 'do[0]': wanted one of start, advance, until, crash, stop, retry, mock, expect, signal, found 2 fields",
        '12:16 instant: wanted an instant such as 2026-03-29T01:59:00Z, or 2026-03-29T01:59 in the time zone of the test, found "1"'
      ])
    })
    it('names of steps are held against the workflow', async () => {
      const result = await suites.played(`tests:
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
      expect(problemsOf(await suites.played('workflow: nowhere.yaml\ntests: [{name: a}]\n'))[0]).to.match(
        /^1:1 there is no definition .*nowhere\.yaml$/
      )
      mkdirSync(join(suites.folder, 'bad'), { recursive: true })
      writeFileSync(join(suites.folder, 'bad', 'x.yaml'), 'stps: []\n')
      expect(problemsOf(await suites.played('workflow: bad/x.yaml\ntests: [{name: a}]\n'))[0]).to.match(
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
})
