/** Two people edit one definition: the second is told, whatever the first did. Source: docs/http-api.md "Definitions". */
import { expect } from 'chai'
import { liveApi } from '../../../support/api/live-api.ts'

const text = (word: string) => `steps:\n  - echo ${word}\n`

describe('API › two who replace one definition', () => {
  const api = liveApi({ schedules: false })
  const put = (spec: string, revision?: string) =>
    api.call('PUT', '/dags/shared/spec', { body: { spec, ...(revision === undefined ? {} : { revision }) } })
  const stored = () => api.get('/dags/shared/spec')

  beforeEach(() => api.write('shared', text('first')))

  it('a text that names the revision it replaces is stored; its own revision is the answer', async () => {
    const { revision } = await stored()
    const { status, json } = await put(text('second'), revision)
    expect([status, json.errors]).to.deep.equal([200, []])
    expect(await stored()).to.include({ spec: text('second'), revision: json.revision })
    expect((await put(text('third'), json.revision)).status).to.equal(200)
  })
  it('after somebody else has saved, or has edited the file: 409 changed_meanwhile, and nothing changes', async () => {
    const { revision } = await stored()
    await put(text('theirs'), revision)
    const second = await put(text('mine'), revision)
    expect([second.status, second.json.code]).to.deep.equal([409, 'changed_meanwhile'])
    expect(second.json.message).to.contain('somebody has changed the definition shared')
    api.write('shared', text('by hand'))
    expect((await put(text('mine'), revision)).status).to.equal(409)
    expect((await stored()).spec).to.equal(text('by hand'))
  })
  it('that is told before the problems of a text, and of two at once one is stored', async () => {
    const { revision } = await stored()
    await put(text('theirs'), revision)
    expect((await put('steps: 3', revision)).json.code).to.equal('changed_meanwhile')
    const now = (await stored()).revision
    const both = await Promise.all([put(text('a'), now), put(text('b'), now)])
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409])
  })
  it('without a revision whatever is there is replaced, as ever; of a text with problems none is answered', async () => {
    expect((await put(text('anything'))).json.errors).to.deep.equal([])
    expect((await put('steps: 3')).json).to.not.have.property('revision')
    expect((await stored()).spec).to.equal(text('anything'))
  })
})
