/** Where a cursor is in a definition that is being typed. `|` marks it. */
import { expect } from 'chai'
import { placeAt, siblings } from '../../../../src/page/editor/text/yaml-place.ts'

/** Splits a text at its mark. */
function marked(text: string): [lines: string[], line: number, column: number] {
  const lines = text.split('\n')
  const line = lines.findIndex((one) => one.includes('|>'))
  const column = lines[line]?.indexOf('|>') ?? 0
  return [lines.map((one) => one.replace('|>', '')), line, column]
}
const at = (text: string) => {
  const place = placeAt(...marked(text))
  return place && `${place.path.join('.')} ${place.at === 'key' ? 'key' : `value of ${place.at.valueOf}`}`
}

describe('page › the place of a cursor in YAML', () => {
  it('on top', () => {
    expect(at('na|>')).to.equal(' key')
    expect(at('name: x\nst|>')).to.equal(' key')
    expect(at('type: gr|>')).to.equal(' value of type')
    expect(at('steps:\n  - name: a\nmax|>')).to.equal(' key')
  })
  it('in an item of a list, with a dash or below one, indented or not', () => {
    expect(at('steps:\n  - na|>')).to.equal('steps.[] key')
    expect(at('steps:\n  - name: a\n    co|>')).to.equal('steps.[] key')
    expect(at('steps:\n- name: a\n  co|>')).to.equal('steps.[] key')
    expect(at('steps:\n- na|>')).to.equal('steps.[] key')
    expect(at('steps:\n  - name: a\n\n    # more\n    type: |>')).to.equal('steps.[] value of type')
  })
  it('in maps within', () => {
    expect(at('steps:\n  - name: a\n    retryPolicy:\n      li|>')).to.equal('steps.[].retryPolicy key')
    expect(at('steps:\n  - executor:\n      type: http\n      config:\n        si|>')).to.equal(
      'steps.[].executor.config key'
    )
    expect(at('steps:\n  - executor:\n      config: {}\n    na|>')).to.equal('steps.[] key')
    expect(at('handlerOn:\n  exit:\n    com|>')).to.equal('handlerOn.exit key')
    expect(at('steps:\n  - - na|>')).to.equal('steps.[].[] key')
  })
  it('in flow style, within a line', () => {
    expect(at('schedule: {st|>')).to.equal('schedule key')
    expect(at('steps:\n  - retryPolicy: {limit: 2, in|>')).to.equal('steps.[].retryPolicy key')
    expect(at('steps:\n  - {name: a, com|>')).to.equal('steps.[] key')
    expect(at('executor: {type: ht|>')).to.equal('executor value of type')
    expect(at('env: [{a: 1}, {b: "}, ", c|>')).to.equal('env.[] key')
    expect(at('a: {b: {c: 1}, d|>')).to.equal('a key')
    expect(at('a: {b: 1} |>')).to.equal(undefined)
  })
  it('nowhere in a comment or in a text of several lines', () => {
    expect(at('name: a # na|>')).to.equal(undefined)
    expect(at('steps:\n  - script: |\n      echo a\n      na|>')).to.equal(undefined)
    expect(at('steps:\n  - script: |\n      if a:\n        na|>')).to.equal(undefined)
    expect(at('steps:\n  - script: |\n      echo a\n    na|>')).to.equal('steps.[] key')
  })
  it('a later document begins anew', () => {
    expect(at('steps:\n  - name: a\n---\n  na|>')).to.equal(' key')
  })
  it('the keys beside it, above and below, of its own item only', () => {
    const text =
      'steps:\n  - name: a\n    type: x\n  - name: "b"\n    |>\n    depends: [a]\n    with:\n      inner: 1\n  - name: c\n'
    const [lines, line, column] = marked(text)
    expect([...siblings(lines, line, column)]).to.deep.equal([
      ['name', 'b'],
      ['depends', '[a]'],
      ['with', '']
    ])
  })
})
