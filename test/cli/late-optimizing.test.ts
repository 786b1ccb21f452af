/** When V8 optimizes what a server calls often, and compiled code that is kept by such a server. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { isKnownV8 } from '../../src/cli/late-optimizing.ts'

describe('cli › optimizing late', () => {
  const room = new URL('../../src/cli/late-optimizing.js', import.meta.url).href

  /** Optimized in the main thread, so that no call goes by while another thread is at it. */
  const FLAGS = ['--allow-natives-syntax', '--no-concurrent-recompilation']

  /** What a process of its own prints: flags are those of a whole process. */
  const printed = (program: string) =>
    execFileSync(process.execPath, [...FLAGS, '--input-type=module', '-e', program], {
      encoding: 'utf8'
    })
  /** Calls a function for as long as V8 takes to optimize it at the usual time; says whether it has. */
  const calling = `
    import { optimizeLate } from ${JSON.stringify(room)}
    const sum = (numbers) => { let sum = 0; for (const number of numbers) sum += number; return sum }
    const numbers = Array.from({ length: 100 }, (_, at) => at)
    const isOptimized = () => (%GetOptimizationStatus(sum) & 64) !== 0 // by TurboFan
    const callsUntilOptimized = () => {
      for (let calls = 1; calls < 1_000_000; calls++) {
        sum(numbers)
        if (isOptimized()) return calls
      }
      return Infinity
    }`

  it('what is called often is optimized later than without it, and then it is', function () {
    if (!isKnownV8) return this.skip()
    const usual = Number(printed(`${calling}; console.log(callsUntilOptimized())`))
    const late = Number(printed(`${calling}; optimizeLate(); console.log(callsUntilOptimized())`))
    expect(late)
      .to.be.above(2 * usual)
      .and.below(1_000_000)
  })
  it('compiled code that is kept on the way out is accepted by the next process, whoever listened first', () => {
    const program = `
      import { Script } from 'node:vm'
      import { optimizeLate } from ${JSON.stringify(room)}
      const script = new Script('(() => 1)()', { filename: 'kept.js' })
      process.on('exit', () => process.stdout.write(script.createCachedData().toString('base64')))
      optimizeLate()`
    const read = (kept: string) => `
      import { Script } from 'node:vm'
      const cachedData = Buffer.from(${JSON.stringify(kept)}, 'base64')
      console.log(new Script('(() => 1)()', { filename: 'kept.js', cachedData }).cachedDataRejected)`
    expect(printed(read(printed(program))).trim()).to.equal('false')
  })
})
