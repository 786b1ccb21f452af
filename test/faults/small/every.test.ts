/** No fault suite is left out of `make test`. Source: reliability 4. */
import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { suites } from '../suites.ts'

describe('faults › in small', () => {
  it('every suite that does not wait for real time has a file of tests', () => {
    const files = readdirSync(import.meta.dirname).filter(
      (name) => name.endsWith('.test.js') && name !== 'every.test.js'
    )
    const short = suites.filter(({ isLong }) => !isLong).map(({ name }) => `${name.replace(/^\w+-/, '')}.test.js`)
    expect(files.sort()).to.deep.equal(short.sort())
  })
})
