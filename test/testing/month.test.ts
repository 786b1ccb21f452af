/** A month on `troupe/testing`, and that nothing of it keeps a process alive; what it costs is in test/bench. Source: embedding 2.9, 4 program 8. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

/** The workflow of the programs that are tests. */
const DAILY = join(PROJECT, 'fixtures/hosts/workflows/daily.yaml')

/** The program of fixtures/hosts/vitest-month without its runner, in a process of its own: what mocha has open is not counted. */
const PROGRAM = (module: string) => `
import { exits, later, testEngine } from '${module}'
const found = {}
const engine = await testEngine({ dags: ['${DAILY}'], now: '2026-03-10T00:00', timeZone: 'Europe/Berlin' })
engine.mock('daily/fetch', ({ attempt }) => (attempt === 1 ? exits(1) : 'ok'))
engine.mock('daily/store', later('10m', ''))
await engine.advance('31d')
found.runs = engine.runs({ status: ['succeeded'] }).length
found.calls = engine.calls('daily/fetch').length
await engine.close()
found.left = process.getActiveResourcesInfo().filter((one) => one !== 'PipeWrap' && one !== 'FSReqCallback')
console.log(JSON.stringify(found))
`

describe('troupe/testing › a month', () => {
  it('of a daily workflow with a retry each leaves no handle', () => {
    const file = join(temporaryFolder(), 'month.mjs')
    writeFileSync(file, PROGRAM(pathToFileURL(join(PROJECT, 'dist/src/testing/index.js')).href))
    const found = JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 }))
    expect(found).to.include({ runs: 30, calls: 60 }).and.deep.include({ left: [] })
  })
})
