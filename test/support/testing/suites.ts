/** Files of tests beside a workflow with steps of several kinds, played in a folder of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playSuite, type SuiteResult } from '../../../src/testing/suite/play-suite.ts'

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

/** Ends for all of its steps. */
export const MOCKS = 'mocks: {steps: {extract: "5", load: "", report: "", onFailure: ""}}\n'

export interface PlayedSuites {
  /** Set while tests run; `etl.yaml` is there. */
  readonly folder: string
  /** The clock stands at 0 again: each test that is played takes 1 ms. */
  beginAnew(): void
  /** Writes a file of tests, and plays it. */
  played(text: string, name?: string, coverage?: boolean): Promise<SuiteResult>
}

/** For the tests of a `describe`. */
export function playedSuites(): PlayedSuites {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-suite-'))
    writeFileSync(join(folder, 'etl.yaml'), ETL)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  let clock = 0
  return {
    get folder() {
      return folder
    },
    beginAnew() {
      clock = 0
    },
    async played(text, name = 'etl.test.yaml', coverage = false) {
      writeFileSync(join(folder, name), text)
      return playSuite(name, folder, { coverage, elapsed: () => clock++ })
    }
  }
}

/** As `LINE:COLUMN MESSAGE`. */
export const problemsOf = ({ problems }: Pick<SuiteResult, 'problems'>): string[] =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
export const failuresOf = ({ tests }: SuiteResult): string[] =>
  tests.flatMap(({ failures }) => failures.map(({ line, column, message }) => `${line}:${column} ${message}`))
