/** How much garbage an engine keeps. Source: performance 7. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const heap = new URL('../../src/cli/thrifty-heap.js', import.meta.url)

/** Holds half a hundred MB, and lets more and more of what has become old go. Prints what it holds, and the most that the heap took, MB. */
const PROGRAM = `
const [said] = process.argv.slice(1)
if (said === 'small') (await import(${JSON.stringify(heap.href)})).keepHeapSmall()
const objects = (count) => Array.from({ length: count }, (_, index) => ({ index, words: [index, index + 1, index + 2, index + 3] }))
const held = objects(300_000)
const passing = Array.from({ length: 20 }, () => objects(0))
let most = 0
for (let round = 0; round < 150; round++) {
  passing[round % passing.length] = objects(10_000)
  await new Promise(setImmediate)
  most = Math.max(most, process.memoryUsage().heapUsed)
}
gc()
const { heapUsed } = process.memoryUsage()
console.log(JSON.stringify({ most: most / 2 ** 20, held: heapUsed / 2 ** 20, count: held.length + passing.length }))
`

const heapOf = (said: 'small' | 'as it is') => {
  const given = ['--expose-gc', '--input-type=module', '--eval', PROGRAM, said]
  const text = execFileSync(process.execPath, given, { encoding: 'utf8', cwd: fileURLToPath(new URL('.', heap)) })
  return JSON.parse(text) as { most: number; held: number }
}
/** The young generation, and what comes while the rest is being looked through. */
const BESIDES_MB = 60

describe('the heap of an engine', () => {
  it('is collected before its garbage is as much as what is in use', () => {
    const { most, held } = heapOf('small')
    expect(most, `MB at most, with ${held} MB in use`).to.be.below(held * 1.2 + BESIDES_MB)
    expect(heapOf('as it is').most, 'as V8 would have it').to.be.above(most)
  })
})
