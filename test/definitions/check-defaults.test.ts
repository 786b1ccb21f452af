/** Defaults against a schema without a start. Source: execution-semantics 2.1.7, 2.3.5. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Plan } from '../../machines/vocabulary.ts'
import { systemClock } from '../../src/clock.ts'
import { parseParamWords } from '../../src/definition/dag/params.ts'
import type { Definition } from '../../src/definition/definition.ts'
import { withCheckedDefaults } from '../../src/definitions/check-defaults.ts'
import { endIdleThreads } from '../../src/executors/frame/worker-thread.ts'
import { plan } from '../support/charts/plans.ts'
import { temporaryFolder } from '../support/homes.ts'

const folder = temporaryFolder()
mkdirSync(join(folder, 'work'))
writeFileSync(
  join(folder, 's.json'),
  JSON.stringify({ properties: { N: { type: 'integer' }, M: { minLength: 3 } }, required: ['R'] })
)
writeFileSync(join(folder, 'work', 'w.json'), '{"properties": {"N": false}}')

const definition = (params: string, wish: Partial<Plan> = {}): Definition => {
  const read = plan([], { params: parseParamWords(params), paramSchema: 's.json', sourceDir: folder, ...wish })
  const { name, group, description, tags, steps } = read
  return {
    name,
    plan: read,
    problems: [],
    warnings: [],
    outline: { name, group, description, tags, steps, params: [] }
  }
}
const checked = (given: Definition, looks?: boolean) => withCheckedDefaults(given, systemClock, looks)
const problems = async (params: string, wish: Partial<Plan> = {}, looks?: boolean) =>
  (await checked(definition(params, wish), looks)).problems.map(({ message }) => message)

after(endIdleThreads)

describe('defaults against a schema in a local file (2.3.5)', () => {
  it('those that do not fit are problems, and there is no plan', async () => {
    expect(await problems('N=x M=1 O=2')).to.deep.equal(['parameter validation failed: /N: must be integer'])
    expect(await problems('N=x M=ab')).to.deep.equal([
      'parameter validation failed: /N: must be integer; /M: must NOT have fewer than 3 characters'
    ])
    expect(await checked(definition('N=x'))).not.to.have.property('plan')
  })
  it('those that fit stay as they are written', async () => {
    const right = definition('N=1 M=abc')
    expect(await checked(right)).to.equal(right)
  })
  it('Choice: which params there must be is asked at the start; one that may not be is a problem', async () => {
    expect(await problems('N=1')).to.deep.equal([])
    const schema = { anyOf: [{ required: ['A'] }, { required: ['B'] }], minProperties: 3, additionalProperties: false }
    writeFileSync(join(folder, 'whole.json'), JSON.stringify(schema))
    expect(await problems('', { paramSchema: 'whole.json' })).to.deep.equal([])
    expect(await problems('C=1', { paramSchema: 'whole.json' })).to.deep.equal([
      'parameter validation failed: /: must NOT have additional properties: "C"'
    ])
  })
  it('2.1.7 nothing is evaluated: a default with variables or backticks is passed over', async () => {
    expect(await problems(`N=\`touch ${folder}/ran\` M="$X"`)).to.deep.equal([])
    expect(await problems('N=$X M=ab')).to.have.length(1)
  })
  it('a missing or broken file is a problem; one that only a start can find is not', async () => {
    expect((await problems('', { paramSchema: 'none.json' }))[0]).to.match(
      /^failed to get JSON schema: there is no file none.json/
    )
    expect(await problems('', { paramSchema: '$DIR/none.json' })).to.deep.equal([])
    expect(await problems('', { paramSchema: 'none.json', workingDir: '${DIR}' })).to.deep.equal([])
  })
  it('a relative working directory is one of the definition', async () => {
    expect((await problems('N=1', { paramSchema: 'w.json', workingDir: 'work' }))[0]).to.contain('/N: ')
  })
  it('remote schemas are fetched at start only', async () => {
    expect(await problems('N=x', { paramSchema: 'http://127.0.0.1:9/s.json' })).to.deep.equal([])
  })
})
