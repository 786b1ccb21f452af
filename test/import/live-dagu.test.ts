/** A home that a `dagu` on this machine makes now: on the PATH, or in the folder BENCH_DAGU. Skipped, to be seen, where there is none. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/doctor.ts'
import { nodesOf, runRecord } from '../../src/store/history.ts'
import { temporaryFolder } from '../support/homes.ts'
import { makeDaguHome } from './dagu-home.ts'
import { contentsOf, importInto, said, storeIn } from './scene.ts'

function found(): string | undefined {
  const { BENCH_DAGU = '', PATH = '' } = process.env
  const folders = [...(BENCH_DAGU ? [BENCH_DAGU, join(BENCH_DAGU, 'bin')] : []), ...PATH.split(delimiter)]
  return folders
    .map((folder) => join(folder, 'dagu'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

describe('import › a home that dagu makes', () => {
  it('comes over as the recorded one does, and stays as it was', async function () {
    const program = found()
    if (program === undefined) return this.skip()
    this.timeout(180_000)
    const from = await makeDaguHome(program, temporaryFolder())
    const before = contentsOf(from)
    const to = temporaryFolder()
    const done = await importInto(to, from)
    const after = contentsOf(from)
    // The step of the run that was cut off may still write its log.
    for (const contents of [before, after])
      for (const name in contents) if (name.includes('long-2')) delete contents[name]
    expect(after).to.deep.equal(before)
    expect(said(done, 'history', 'taken')).to.deep.equal([
      'broken: 1 run: 1 failed',
      'flaky: 1 run: 1 partially_succeeded',
      'long: 2 runs: 1 canceled, 1 failed',
      'ok: 2 runs: 2 succeeded',
      'parent: 1 run: 1 succeeded; 3 sub DAG runs'
    ])
    expect(done.report.entries.filter(({ kind, part }) => kind === 'left' && part !== 'configuration')).to.deep.equal(
      []
    )
    expect(done.waiting.map(({ dagRunId }) => dagRunId)).to.deep.equal(['long-q1', 'ok-q1'])
    await storeIn(to, (store) => {
      expect(nodesOf(store, { name: 'ok', dagRunId: 'ok-1' }).get(0)?.record.output).to.equal('hello you')
      expect(runRecord(store, { name: 'flaky', dagRunId: 'flaky-1' })?.attempt).to.equal(2)
    })
    const { findings } = await examine(readConfig({ home: to }, {}), systemClock)
    expect(findings.map(({ message }) => message)).to.deep.equal([])
  })
})
