/** Problems as the server words them, with their places and what was probably meant. */
import { expect } from 'chai'
import { problemText } from '../../../../src/definition/problem-text.ts'
import { readDefinition } from '../../../../src/definition/read.ts'
import { lineOfStep } from '../../../../src/page/editor/step-line.ts'
import { placeOfFix, problemOf, rangeOf } from '../../../../src/page/editor/text/found-problems.ts'

describe('page › problems of a text', () => {
  const found = (text: string) =>
    readDefinition(text, { name: 'x' }).problems.map((problem) => problemOf(problemText(problem)))
  /** A text after the first proposal for each of its problems, one after another. */
  function fixed(text: string): string {
    for (const problem of found(text)) {
      const lines = text.split('\n')
      const line = lines[(problem.line ?? 1) - 1] ?? ''
      const range = rangeOf(problem, line, lines.slice(0, (problem.line ?? 1) - 1).join('\n').length + 1)
      for (const fix of problem.fixes) {
        const place = placeOfFix(fix, text, range)
        if (place) return fixed(text.slice(0, place.from) + fix.meant + text.slice(place.to))
      }
    }
    return text
  }

  it('the place is taken from the sentence', () => {
    expect(problemOf('odd (line 3, column 5)')).to.deep.equal({
      message: 'odd',
      line: 3,
      column: 5,
      isWarning: false,
      fixes: []
    })
    expect(problemOf('odd (line 3)')).to.deep.include({ message: 'odd', line: 3 })
    expect(problemOf('odd', true)).to.deep.equal({ message: 'odd', isWarning: true, fixes: [] })
  })
  it('each of several mistyped names of one map is found', () => {
    const problems = found('# top\nsteps:\n  - name: a\n    comand: "true"\n    descripton: b')
    expect(problems.flatMap(({ fixes }) => fixes)).to.deep.equal([
      { found: 'comand', meant: 'command' },
      { found: 'descripton', meant: 'description' }
    ])
  })
  it('proposals of the server, taken one after another, leave no such problem', () => {
    const text = '# top\nstepz:\n  - name: a\n    comand: "true"\n    descripton: comand\n    executor: {type: dokcer}'
    expect(fixed(text)).to.equal(
      '# top\nsteps:\n  - name: a\n    command: "true"\n    description: comand\n    executor: {type: docker}'
    )
  })
  it('a word that is not there any more is left alone', () => {
    expect(placeOfFix({ found: 'comand', meant: 'command' }, 'name: a\n', { from: 0, to: 4 })).to.equal(undefined)
    expect(placeOfFix({ meant: 'docker' }, 'type: "a b"', { from: 6, to: 11 })).to.equal(undefined)
  })
  it('a problem marks its word, or the whole of its line', () => {
    expect(rangeOf({ column: 5 }, '  - comand: x', 10)).to.deep.equal({ from: 14, to: 20 })
    expect(rangeOf({}, '  name: x', 10)).to.deep.equal({ from: 12, to: 19 })
    expect(rangeOf({ column: 99 }, 'short', 0)).to.deep.equal({ from: 5, to: 5 })
  })
  it('a step is found by its name, in a list, in a map, in one line', () => {
    const text = 'name: x\nsteps:\n  - name: "a.b"\n  - {command: y, name: c}\n---\nsteps:\n  d:\n    command: z\n'
    expect(['a.b', 'c', 'd', 'axb'].map((name) => lineOfStep(text, name))).to.deep.equal([3, 4, 7, undefined])
  })
})
