/** What is different between two contexts. */
import { expect } from 'chai'
import { changesOf } from '../../../../src/page/run/actor/changes.ts'

describe('page › changes of a context', () => {
  const of = (before: unknown, after: unknown) =>
    Object.fromEntries([...changesOf(before, after)].map(([path, { before }]) => [path.replaceAll('\0', '/'), before]))

  it('names the innermost members that changed, came or went, with what was there before', () => {
    expect(of({ a: 1, b: { c: [1, 2], d: 'x' }, e: 5 }, { a: 1, b: { c: [1, 3], d: 'x' }, f: 6 })).to.deep.equal({
      'b/c/1': 2,
      e: 5,
      f: undefined
    })
  })
  it('equal values are no change, another type is one', () => {
    expect(of({ a: { b: [1] } }, { a: { b: [1] } })).to.deep.equal({})
    expect(of({ a: [1] }, { a: { 0: 1 } })).to.deep.equal({ a: [1] })
    expect(of({ a: null }, { a: {} })).to.deep.equal({ a: null })
  })
})
