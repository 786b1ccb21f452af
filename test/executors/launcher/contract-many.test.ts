/** Many steps at once: each has a session of its own and its own end. Source: architecture 4, performance 1. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readRecord, readState } from '../../../src/executors/processes/state-file.ts'
import { launcherBench, sh } from '../../support/executors/launched.ts'

const MANY = 5_000
const HOLDER_KIB = 5 * 1_024

describe('launcher › many steps', function () {
  this.timeout(120_000)
  const { folder, open, jobOf, holderOf } = launcherBench()

  it(`${MANY} at once`, async () => {
    const many = open({ starting: 256 })
    try {
      const holder = await holderOf(many)
      const gate = join(folder, 'gate')
      execFileSync('mkfifo', [gate])
      const jobs = Array.from({ length: MANY }, (_, index) =>
        jobOf({ argv: sh(`: <${gate}; exit ${index % 256}`), env: { PATH: '/usr/bin:/bin' } })
      )
      const all = jobs.map((job) => many.launch(job))
      await Promise.all(all.map(({ began }) => began))
      const records = jobs.map(({ state }) => readRecord(state))
      expect(records.filter(({ found }) => found.state !== 'alive')).to.deep.equal([])
      expect(new Set(records.map(({ identity }) => identity?.pid)).size).to.equal(jobs.length)
      expect(new Set(records.map(({ holder }) => holder))).to.deep.equal(new Set([holder]))
      const kib = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${holder}/status`, 'utf8'))?.[1])
      expect(kib, 'KiB of the launcher').to.be.below(HOLDER_KIB)
      const opened = openSync(gate, 'r+')
      const ends = await Promise.all(all.map(({ ended }) => ended))
      closeSync(opened)
      expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal(jobs.map((_, index) => index % 256))
      expect(ends.filter(({ signaled }) => signaled)).to.deep.equal([])
      expect(jobs.filter(({ state }) => readState(state).state !== 'ended')).to.deep.equal([])
    } finally {
      await many.close()
    }
  })
})
