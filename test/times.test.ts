/** What each file of tests took is kept, and those that took longest begin first. Source: D1652. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from './support/homes.ts'
import { PROJECT } from './support/project.ts'
import { KEPT, keepTimes, LONG_MS, longestFirst, shareOf, slowest, TIMES, timesIn } from './support/runner/times.ts'

const times = (file: string, wallMs: number) => ({ file, wallMs, processorMs: wallMs / 2 })

describe('the times of the files of tests', () => {
  it('are noted by whichever process runs a file, with those of the processes that it has started', () => {
    const [folder, path] = [temporaryFolder(), join(temporaryFolder(), 'times')]
    mkdirSync(join(folder, 'deep'))
    const burn = 'const from = process.cpuUsage(); while (process.cpuUsage(from).user < 200_000);'
    const child = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(burn)}])`
    const files = [join(folder, 'one.test.cjs'), join(folder, 'deep', 'other.test.cjs')]
    writeFileSync(files[0] ?? '', `it('burns', () => { ${child} })\n`)
    writeFileSync(files[1] ?? '', `describe('other', () => it('rests', () => {}))\n`)
    const mocha = ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '2', ...files]
    const { status } = spawnSync(process.execPath, mocha, { cwd: PROJECT, env: { ...process.env, [TIMES]: path } })
    expect(status).to.equal(0)
    const noted = timesIn(path)
    const names = noted.map(({ file }) => file.replace(/^.*\//, ''))
    expect(names).to.have.members(['one.test.cjs', 'other.test.cjs'])
    const burnt = noted.find(({ file }) => file.endsWith('one.test.cjs'))
    expect(burnt?.processorMs).to.be.at.least(200)
    expect(burnt?.wallMs).to.be.at.least(200)
  })
  it('replace those of the same file on record, and leave the others', () => {
    const path = join(temporaryFolder(), 'dist', 'times')
    expect(timesIn(path)).to.deep.equal([])
    keepTimes(path, [times('a', 10), times('b', 20)])
    keepTimes(path, [times('a', 30)])
    expect(timesIn(path)).to.deep.equal([times('a', 30), times('b', 20)])
  })
  it('order the files: the longest first, as the last record has it, and those that are on none at the end', () => {
    const record = [times('c', 3), times('a', 2), times('c', 1)]
    expect(longestFirst(['a', 'b', 'c', 'd'], record)).to.deep.equal(['a', 'c', 'b', 'd'])
  })
  it('of the repository are of files that there are', () => {
    const kept = timesIn(join(PROJECT, KEPT))
    expect(kept).to.have.length.above(50)
    for (const { file, wallMs } of kept) {
      expect(existsSync(join(PROJECT, file)), file).to.equal(true)
      expect(wallMs).to.be.at.least(LONG_MS)
    }
  })
  it('deal the files to several machines, long and short ones to each', () => {
    const files = ['a', 'b', 'c', 'd', 'e']
    expect(['1/2', '2/2'].map((share) => shareOf(files, share))).to.deep.equal([
      ['a', 'c', 'e'],
      ['b', 'd']
    ])
    expect(shareOf(files)).to.deep.equal(files)
    for (const share of ['0/2', '3/2', '1', '', '1/x']) expect(() => shareOf(files, share), share).to.throw('wanted')
  })
  it('are printed, the slowest first, with the whole', () => {
    expect(slowest([times('a', 1_000), times('b', 61_000), times('c', 2_000)], 2)).to.deep.equal([
      '   wall processor  s',
      '   61.0      30.5  b',
      '    2.0       1.0  c',
      '   64.0      32.0  3 files together'
    ])
  })
})
