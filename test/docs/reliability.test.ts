/** docs/reliability.md names every promise, files that exist, and the suites that check it; its commands run them. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { suites } from '../faults/suites.ts'
import { readOptions } from '../sim/options.ts'
import { blocksOf } from '../support/docs/blocks.ts'
import { shellIn } from '../support/docs/pasting.ts'
import { temporaryFolder } from '../support/homes.ts'
import { IS_LONG, ofAll } from '../support/long.ts'
import { needsNats } from '../support/nats.ts'
import { PROJECT } from '../support/project.ts'
import { WHEN_BUSY } from '../support/waiting.ts'

const text = readFileSync('docs/reliability.md', 'utf8')
const rows = text.split('\n').flatMap((line) => {
  const [, promise = '', , kept = '', proved = ''] = line.split('|').map((cell) => cell.trim())
  return /^[PW]\d+$/.test(promise) ? [{ promise, kept, proved }] : []
})
const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

describe('docs/reliability.md', () => {
  it('has P1 to P23, each with where it is kept and what proves it', () => {
    const promises = rows.map(({ promise }) => promise).filter((promise) => promise.startsWith('P'))
    expect(promises).to.deep.equal(Array.from({ length: 23 }, (_, n) => `P${n + 1}`))
    for (const { promise, kept, proved } of rows) {
      expect(quoted(kept), promise).to.not.deep.equal([])
      expect(quoted(proved), promise).to.not.deep.equal([])
    }
  })

  it('names files that exist, and targets that make knows', () => {
    const targets = readFileSync('Makefile', 'utf8')
    for (const { promise, kept, proved } of rows)
      for (const name of [...quoted(kept), ...quoted(proved)]) {
        if (name.includes('/')) expect(existsSync(name), `${promise}: ${name}`).to.equal(true)
        else if (/^(fault|fuzz)-|^(race|sim)$/.test(name))
          expect(targets, promise).to.match(new RegExp(`\\b${name}\\b`))
      }
  })

  for (const { name, promises } of suites)
    it(`says of each promise that ${name} checks that it does`, () => {
      const said = rows.filter(({ proved }) => quoted(proved).includes(name)).map(({ promise }) => promise)
      expect(said).to.deep.equal(promises)
    })

  describe('how to run it', function () {
    this.timeout(120_000)
    needsNats()
    const [targets = '', recovery = ''] = blocksOf('docs/reliability.md', 'sh')
    /**
     * These are made, at this size, in `make test-long`. Of the others make says what it would do: faults.test.ts plays the same suites at sizes of their own, and
     * test/sim some seeds.
     */
    const MADE = ofAll({}, { 'fault-kill': 'N=1', 'soak-workers': 'MINUTES=0.01', race: 'ROUNDS=1' })
    const shell = () => {
      const made = shellIn(temporaryFolder())
      const small = Object.entries(MADE).map(([name, size]) => `${name}) exec make -o build "$@" ${size} ;;`)
      // All of the Makefile but the build, which would change under other tests what they run.
      made.install('make', `PATH=\${PATH#*:}\ncase $1 in\n${small.join('\n')}\n*) exec make -n -o build "$@" ;;\nesac`)
      return made
    }
    const jsonOf = (out: string, start: string) =>
      JSON.parse(out.split('\n').find((line) => line.startsWith(`{"${start}"`)) ?? '{}')

    it('each target is made, with the size and the seed that it is given', async function () {
      // Some of the promises have a limit of wall-clock time.
      this.retries(WHEN_BUSY)
      const { code, out } = await shell().paste(targets, { cwd: PROJECT })
      expect(code, out).to.equal(0)
      const [, seed = ''] = /fault-kill SEED=(\d+)/.exec(targets) ?? []
      const [, seeds = ''] = /sim SEEDS=(\d+)/.exec(targets) ?? []
      expect(readOptions({ SEEDS: seeds }).seeds).to.equal(Number(seeds))
      expect(out).to.match(/^node dist\/test\/sim\/main\.js$/m)
      const started = [...out.matchAll(/^node dist\/test\/faults\/main\.js (\S+)$/gm)].map(([, name]) => name)
      expect(started).to.have.members(suites.map(({ name }) => name))
      if (!IS_LONG) return
      expect(jsonOf(out, 'name":"fault-kill')).to.include({ seed: Number(seed), size: 1, ok: true })
      expect(jsonOf(out, 'name":"soak-workers')).to.include({ minutes: 0.01, ok: true })
      expect(jsonOf(out, 'race')).to.include({ race: 'passed', rounds: 1 })
    })

    it('the figures of recovery come from the benchmark', async () => {
      const { code, out } = await shell().paste(recovery, { cwd: PROJECT, environment: { SCALE: '0.001' } })
      expect(code, out).to.equal(0)
      expect(out).to.contain('Medians of 1 round(s) at scale 0.001')
    })
  })
})
