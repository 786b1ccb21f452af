/** Records of executions: what is removed, and when. Source: reliability 3.1. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  claim,
  forgetState,
  forgetStates,
  latestRecord,
  stateFiles
} from '../../../src/executors/processes/state-file.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('records of executions', () => {
  const folder = temporaryFolder()
  const all = ['a.1.1.state', 'a.1.2.state', 'a.10.1.state', 'a.2.1.state', 'b.1.1.state', 'a.out']
  const left = () => all.filter((name) => existsSync(join(folder, name)))
  beforeEach(() => {
    for (const name of all) writeFileSync(join(folder, name), '')
  })

  it('each try of an execution has a record of its own, and the latest that says anything counts', () => {
    const base = join(folder, 'c.1')
    const [first, second, third] = [1, 2, 3].map((tries) => `${base}.${tries}.state`) as [string, string, string]
    const latest = () => {
      const { path, record } = latestRecord(base)
      return [path, record.found.state]
    }
    expect(stateFiles(base)).to.deep.equal({ latest: first, next: first })
    expect(latest()).to.deep.equal([first, 'absent'])
    writeFileSync(first, 'gone 0 4194')
    expect(stateFiles(base)).to.deep.equal({ latest: first, next: second })
    expect(latest(), 'a disk that was full').to.deep.equal([first, 'unknown'])
    claim(second)
    expect(stateFiles(base)).to.deep.equal({ latest: second, next: third })
    expect(latest(), 'kept from beginning').to.deep.equal([third, 'absent'])
    writeFileSync(third, 'gone 0 4194305 (sh) S 1 1 1\n3 0\n')
    expect(latest()).to.deep.equal([third, 'ended'])
    writeFileSync(first, `gone 0 ${readFileSync('/proc/self/stat', 'utf8').trim()}\n`)
    expect(latest(), 'one that began as it should has no later one').to.deep.equal([first, 'unknown'])
  })
  it('those of one execution: every try of it, and of no other', async () => {
    await forgetState(join(folder, 'a.1'))
    expect(left()).to.deep.equal(['a.10.1.state', 'a.2.1.state', 'b.1.1.state', 'a.out'])
    await forgetState(join(folder, 'none.1'))
  })
  it('those of a run: all records and the scripts that a crash has left, no logs', async () => {
    for (const name of ['a.1.script', 'b.2.script.ps1']) writeFileSync(join(folder, name), '')
    await forgetStates(folder, async () => {})
    expect(readdirSync(folder)).to.deep.equal(['a.out'])
  })
})
