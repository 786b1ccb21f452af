/** Values in place of references, without anything being evaluated. Source: docs/http-api.md "What a step had". */
import { expect } from 'chai'
import { type Budget, put, type Variable, type Variables } from '../../../../src/engine/views/values/variables.ts'

describe('values of a step › references', () => {
  const variables = (...all: Variable[]): Variables => new Map(all.map((one) => [one.name, one]))
  const budget = (left = 1_000): Budget => ({ left })
  const known = variables({ name: 'A', from: 'param', value: '1' }, { name: 'S', from: 'secret' })

  it('a form is computed where all of its names are known', async () => {
    expect(await put('<${A:-2}>', known, budget())).to.deep.equal({ text: '<1>', isPartial: false })
  })

  it('what is not known stays as written, backticks too, and the text counts as partly known', async () => {
    for (const written of ['$S', '${NONE:?stop}', '`echo $S`'])
      expect(await put(written, known, budget()), written).to.deep.equal({ text: written, isPartial: true })
    expect((await put('$A $S', known, budget())).text).to.equal('1 $S')
  })

  it('references to long values do not multiply beyond what an answer may have', async () => {
    const long = variables({ name: 'L', from: 'output', value: 'x'.repeat(100) })
    const { text, isPartial } = await put('$L '.repeat(50), long, budget(1_000))
    expect([text.length < 1_300, text.endsWith('$L '), isPartial]).to.deep.equal([true, true, true])
  })

  it('part of a partly known value makes another one partly known', async () => {
    const part = variables({ name: 'P', from: 'env', value: '$X/y', isPartial: true })
    expect(await put('<$P>', part, budget())).to.deep.equal({ text: '<$X/y>', isPartial: true })
  })
})
