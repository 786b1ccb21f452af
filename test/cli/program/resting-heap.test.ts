/** What a program gives back while it rests. Source: distribution 10. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

const room = JSON.stringify(new URL('../../../src/cli/program/resting-heap.js', import.meta.url).href)

/** Leaves garbage behind. */
const BUSY = `
const { giveBackAtRest } = await import(${room})
const kept = []
for (let round = 0; round < 200; round++)
  kept[round % 50] = Array.from({ length: 2_000 }, (_, index) => ({ index, words: [index] }))
kept.length = 0
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))`

/** Prints MB of the heap after that, and the least of it until it is half as large. */
const RESTING = `${BUSY}
giveBackAtRest(20)
const size = () => process.memoryUsage().heapTotal / 2 ** 20
const busy = size()
let least = busy
for (let time = 0; time < 500 && least > busy / 2; time++) {
  await pause(40)
  least = Math.min(least, size())
}
console.log(JSON.stringify({ busy, least }))`

/** Prints how often it was collected while there was work, and whether it was soon after that. */
const WORKING = `${BUSY}
let collections = 0
giveBackAtRest(20, (done) => {
  collections++
  done()
})
for (let time = 0; time < 30; time++) {
  const from = process.cpuUsage()
  while (process.cpuUsage(from).user < 5_000);
  await pause(5)
}
const working = collections
for (let time = 0; time < 500 && collections === working; time++) await pause(40)
console.log(JSON.stringify({ working, resting: collections - working }))`

describe('what a program gives back', () => {
  const printed = (program: string) =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }))

  it('what a busy time has left is given back once there is nothing to do', () => {
    const { busy, least } = printed(RESTING)
    expect(least, `MB, of ${busy}`).to.be.below(busy / 2)
  })
  it('as long as there is work, nothing is collected for its sake', () => {
    expect(printed(WORKING)).to.deep.equal({ working: 0, resting: 1 })
  })
})
