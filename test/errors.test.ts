/** What is asked of something thrown, be it an error or not. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { codeOf, TroupeError } from '../src/errors.ts'

describe('errors › codeOf', () => {
  it('is the code of Node, of a package and of Troupe itself', () => {
    let thrown: unknown
    try {
      readFileSync('/nowhere/at/all')
    } catch (error) {
      thrown = error
    }
    expect(codeOf(thrown)).to.equal('ENOENT')
    expect(codeOf(Object.assign(new Error('too long'), { code: 'HPE_HEADER_OVERFLOW' }))).to.equal(
      'HPE_HEADER_OVERFLOW'
    )
    expect(codeOf(new TroupeError('not_found', 'no such run'))).to.equal('not_found')
  })
  it('is undefined for an error without one, for a number, and for what is no error', () => {
    const codeless = [new Error('none'), Object.assign(new Error('of lmdb'), { code: -30792 })]
    for (const thrown of [...codeless, undefined, null, 'ENOENT', 7]) expect(codeOf(thrown)).to.equal(undefined)
  })
})
