/** A comment has a subject, and can be read without the code below it. */
import { expect } from 'chai'
import { sources } from './support/tree/imports.ts'

const NO_SUBJECT = /^\s*(?:\/\*\*|\/\/) (?:It|Its|They|Of|Those|Who|Whose)\b/

describe('comments', () => {
  it('begin with what they are about, not with a word that stands for it', () => {
    const found = sources().flatMap(({ path, text }) => {
      const lines = text.split('\n')
      const isFirst = (at: number) => !/^\s*\/\//.test(lines[at - 1] ?? '')
      return lines.filter((line, at) => NO_SUBJECT.test(line) && isFirst(at)).map((line) => `${path}: ${line.trim()}`)
    })
    expect(found).to.deep.equal([])
  })
})
