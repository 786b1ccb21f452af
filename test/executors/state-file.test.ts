/** Records of executions: what is removed, and when. Source: reliability 3.1. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { forgetState, forgetStates } from '../../src/executors/state-file.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('records of executions', () => {
  const folder = temporaryFolder()
  const all = ['a.1.1.state', 'a.1.2.state', 'a.10.1.state', 'a.2.1.state', 'b.1.1.state', 'a.out']
  const left = () => all.filter((name) => existsSync(join(folder, name)))
  beforeEach(() => {
    for (const name of all) writeFileSync(join(folder, name), '')
  })

  it('those of one execution: every try of it, and of no other', async () => {
    await forgetState(join(folder, 'a.1'))
    expect(left()).to.deep.equal(['a.10.1.state', 'a.2.1.state', 'b.1.1.state', 'a.out'])
    await forgetState(join(folder, 'none.1'))
  })
  it('those of a run: all records, no logs', async () => {
    await forgetStates(folder, async () => {})
    expect(left()).to.deep.equal(['a.out'])
  })
})
