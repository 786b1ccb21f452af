/** What a server asks of V8: when it optimizes, how much garbage it keeps; and compiled code that such a server keeps. Source: performance 6, 7. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { isKnownV8 } from '../../../src/cli/program/serving-flags.ts'

const room = JSON.stringify(new URL('../../../src/cli/program/serving-flags.js', import.meta.url).href)
/** Optimized in the main thread, so that no call goes by while another thread is at it. */
const FLAGS = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--expose-gc', '--input-type=module']

/** The output of a separate process, because flags apply to a whole process. */
const printed = (program: string, ...argv: string[]) =>
  execFileSync(process.execPath, [...FLAGS, '--eval', program, ...argv], { encoding: 'utf8' })

/** Calls a function until it is optimized. Prints how often. */
const CALLING = `
const [said] = process.argv.slice(1)
if (said === 'serving') (await import(${room})).setServingFlags()
const sum = (numbers) => { let sum = 0; for (const number of numbers) sum += number; return sum }
const numbers = Array.from({ length: 100 }, (_, at) => at)
const isOptimized = () => (%GetOptimizationStatus(sum) & 64) !== 0 // by TurboFan
let calls = 0
while (calls < 1_000_000 && !isOptimized()) {
  sum(numbers)
  calls++
}
console.log(calls)`

/** Holds some MB, and lets more and more of what has become old go. Prints what it holds, and the most that the heap took, MB. */
const HOLDING = `
const [said, count] = process.argv.slice(1)
if (said === 'serving') (await import(${room})).setServingFlags(1)
const objects = (count) => Array.from({ length: count }, (_, index) => ({ index, words: [index, index + 1, index + 2, index + 3] }))
const held = objects(Number(count))
const passing = Array.from({ length: 20 }, () => objects(0))
let most = 0
for (let round = 0; round < 150; round++) {
  passing[round % passing.length] = objects(10_000)
  await new Promise(setImmediate)
  most = Math.max(most, process.memoryUsage().heapUsed)
}
gc()
const { heapUsed } = process.memoryUsage()
console.log(JSON.stringify({ most: most / 2 ** 20, held: heapUsed / 2 ** 20, count: held.length + passing.length }))`
/** The young generation, and what comes while the rest is being looked through. */
const BESIDES_MB = 60

describe('what a server asks of V8', () => {
  before(function () {
    if (!isKnownV8) this.skip()
  })

  it('what is called often is optimized later than without it, and then it is', () => {
    const usual = Number(printed(CALLING, 'usual'))
    expect(Number(printed(CALLING, 'serving')))
      .to.be.above(2 * usual)
      .and.below(1_000_000)
  })
  const heap = (said: string, count: number) =>
    JSON.parse(printed(HOLDING, said, String(count))) as { most: number; held: number }
  it('a large heap is collected before its garbage is as much as what is in use', () => {
    const { most, held } = heap('serving', 600_000)
    expect(most, `MB at most, with ${held} MB in use`).to.be.below(held * 1.2 + BESIDES_MB)
    expect(heap('usual', 600_000).most, 'as V8 would have it').to.be.above(most)
  })
  it('compiled code that is kept on the way out is accepted by the next process, whichever listened first', () => {
    const keeping = `
      import { Script } from 'node:vm'
      import { setServingFlags } from ${room}
      const script = new Script('(() => 1)()', { filename: 'kept.js' })
      process.on('exit', () => process.stdout.write(script.createCachedData().toString('base64')))
      setServingFlags()`
    const reading = (kept: string) => `
      import { Script } from 'node:vm'
      const cachedData = Buffer.from(${JSON.stringify(kept)}, 'base64')
      console.log(new Script('(() => 1)()', { filename: 'kept.js', cachedData }).cachedDataRejected)`
    expect(printed(reading(printed(keeping))).trim()).to.equal('false')
  })
})
