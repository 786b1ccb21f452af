/** docs/reliability.md names every promise, files that exist, and the suites that check it. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { suites } from '../faults/suites.ts'

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
})
