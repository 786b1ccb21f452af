/** The fields of the params of a run, and what a form sends. */
import { expect } from 'chai'
import { fieldsFor, filledWith, paramsOf } from '../../../src/page/start/param-fields.ts'

const FORM = {
  params: [
    { name: '1', value: 'first' },
    { name: 'ENV', value: 'test' },
    { name: 'AT', value: '`date +%s`' }
  ],
  schema: {
    type: 'object',
    required: ['ENV', 'SIZE'],
    properties: {
      ENV: { enum: ['test', 'live'] },
      AT: { type: 'number' },
      SIZE: { type: 'integer' },
      ON: { type: 'boolean', default: true },
      MANY: { type: 'array' },
      PICK: { enum: [1, 2] }
    }
  }
}

describe('page › fields of params', () => {
  const fields = fieldsFor(FORM)
  const by = (name: string) => fields.find((field) => field.name === name)

  it('those of the definition come first, then those of the schema alone', () => {
    expect(fields.map(({ name }) => name)).to.deep.equal(['1', 'ENV', 'AT', 'SIZE', 'ON', 'MANY', 'PICK'])
    expect(fields.map(({ kind }) => kind)).to.deep.equal(['text', 'choice', 'text', 'number', 'flag', 'text', 'choice'])
    expect(by('1')?.label).to.equal('Parameter 1')
    expect([by('ENV')?.isRequired, by('SIZE')?.isRequired, by('ON')?.isRequired]).to.deep.equal([true, true, false])
    expect(by('PICK')?.choices).to.deep.equal(['1', '2'])
  })
  it('a default that is evaluated is a text, even where the schema wants a number', () => {
    expect(by('AT')).to.include({ kind: 'text', start: '`date +%s`' })
  })
  it('a default that is no choice is one more', () => {
    const [field] = fieldsFor({ params: [{ name: 'ENV', value: '${STAGE}' }], schema: FORM.schema })
    expect(field?.choices).to.deep.equal(['${STAGE}', 'test', 'live'])
  })
  it('only what differs is sent, as JSON, whatever is in it', () => {
    expect(paramsOf(fields, {}, ' ')).to.equal(undefined)
    expect(paramsOf(fields, { ENV: 'test', SIZE: '' }, '')).to.equal(undefined)
    expect(paramsOf(fields, { ENV: 'a "b" $(c)' }, '')).to.equal('{"ENV":"a \\"b\\" $(c)"}')
    expect(paramsOf(fields, { ON: 'false', '1': '' }, '')).to.equal('{"1":"","ON":"false"}')
  })
  it('words and JSON of further params go along', () => {
    expect(paramsOf(fields, {}, 'A=1 B="x y"')).to.equal('A=1 B="x y"')
    expect(paramsOf(fields, { ENV: 'live' }, 'A="x y"')).to.equal('[{"ENV":"live"},"A=\\"x y\\""]')
    expect(paramsOf(fields, { ENV: 'live' }, '{"A": 1}')).to.equal('[{"ENV":"live"},{"A": 1}]')
    expect(paramsOf(fields, { ENV: 'live' }, '["a", "b"]')).to.equal('[{"ENV":"live"},"a", "b"]')
  })
  it('values of a run fill the fields; what has none becomes words that read back the same', () => {
    const filled = filledWith(fields, [
      { name: 'ENV', value: 'live' },
      { name: 'X', value: 'a "quoted" \\ word' }
    ])
    expect(filled).to.deep.equal({ input: { ENV: 'live' }, further: 'X="a \\"quoted\\" \\\\ word"' })
  })
})
