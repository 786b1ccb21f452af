/** Which texts a definition has had: saved by whom, found in its file, used by which runs. Source: http-api "Versions of a definition". */
import { expect } from 'chai'
import { revisionOf } from '../../../../src/definition/text/revision.ts'
import { createEngine } from '../../../../src/index.ts'
import { type Json, liveApi } from '../../../support/api/live-api.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { eventually } from '../../../support/waiting.ts'

describe('API › versions of a definition', () => {
  const api = liveApi({
    schedules: false,
    settings: { 'auth.tokens': [{ name: 'ann', value: 'secret-ann' }] }
  })
  const headers = { Authorization: 'Bearer secret-ann' }
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, path, { headers, ...(body === undefined ? {} : { body }) })
  const versions = async (name: string): Promise<Json[]> => {
    const { status, json, text } = await call('GET', `/dags/${name}/versions`)
    expect(status, text).to.equal(200)
    return json.versions
  }
  const text = (word: string) => `steps:\n  - name: say\n    command: echo ${word}\n`

  it('a text that is saved is one, with who saved it; a text with problems is none', async () => {
    expect((await call('POST', '/dags', { name: 'saved', spec: text('one') })).status).to.equal(201)
    await call('PUT', '/dags/saved/spec', { spec: text('two') })
    await call('PUT', '/dags/saved/spec', { spec: 'steps: 7\n' })
    await call('PUT', '/dags/saved/spec', { spec: text('two') })
    const found = await versions('saved')
    expect(found.map(({ revision, how, by, isCurrent }) => [revision, how, by, isCurrent])).to.deep.equal([
      [revisionOf(text('two')), 'saved', 'the token ann', true],
      [revisionOf(text('one')), 'saved', 'the token ann', false]
    ])
    expect(found[0]?.size).to.equal(text('two').length)
    expect(found.map(({ number }) => number)).to.deep.equal([2, 1])
    const { json } = await call('GET', `/dags/saved/versions/${revisionOf(text('one'))}`)
    expect(json).to.deep.equal({ revision: revisionOf(text('one')), spec: text('one') })
  })

  it('what was changed in its file is found there, once, when the file is read', async () => {
    api.write('edited', text('one'))
    const seen = async (count: number) => {
      await call('GET', '/dags')
      const found = await versions('edited')
      return found.length >= count ? found : undefined
    }
    await eventually('the first', () => seen(1))
    api.write('edited', text('two'))
    const found = await eventually('the second', () => seen(2))
    expect(found?.map(({ how, by }) => [how, by])).to.deep.equal([
      ['found', undefined],
      ['found', undefined]
    ])
    await call('GET', '/dags/edited')
    await call('POST', '/dags/edited/start', {})
    expect(await versions('edited')).to.have.length(2)
  })

  it('a version has the runs that were started with its text', async () => {
    await call('POST', '/dags', { name: 'used', spec: text('one') })
    const start = async () => {
      const { dagRunId } = (await call('POST', '/dags/used/start', {})).json
      await api.engine.result({ name: 'used', dagRunId })
      return dagRunId
    }
    const [first, second] = [await start(), await start()]
    await call('PUT', '/dags/used/spec', { spec: text('two') })
    const third = await start()
    const found = await versions('used')
    expect(found.map(({ runCount, runs }) => [runCount, runs.map(({ dagRunId }: Json) => dagRunId)])).to.deep.equal([
      [1, [third]],
      [2, [second, first]]
    ])
    expect(found[0]?.runs[0].statusLabel).to.equal('succeeded')
  })

  it('a text that is saved again is a version again; a rename takes them along', async () => {
    await call('POST', '/dags', { name: 'old-name', spec: text('one') })
    for (const word of ['two', 'one']) await call('PUT', '/dags/old-name/spec', { spec: text(word) })
    expect((await call('POST', '/dags/old-name/rename', { newFileName: 'new-name' })).status).to.equal(200)
    await call('GET', '/dags')
    const found = await versions('new-name')
    expect(found.map(({ revision, isCurrent }) => [revision, isCurrent])).to.deep.equal([
      [revisionOf(text('one')), true],
      [revisionOf(text('two')), false],
      [revisionOf(text('one')), false]
    ])
    expect((await call('GET', '/dags/old-name/versions')).status).to.equal(404)
  })

  it('a revision that the definition never had is not found, and one that is none is refused', async () => {
    await call('POST', '/dags', { name: 'asked', spec: text('one') })
    expect((await call('GET', `/dags/asked/versions/${'x'.repeat(22)}`)).status).to.equal(404)
    expect((await call('GET', '/dags/asked/versions/short')).json.message).to.contain('revision: ')
  })
})

describe('engine › versions of a definition', () => {
  it('are still there after a restart, which adds none', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home })
    await first.createDefinition('kept', 'steps: [echo one]\n', { by: 'ann' })
    await first.close()
    const second = await createEngine({ home })
    expect(second.definitions()).to.have.length(1)
    await second.close()
    const reader = await createEngine({ home, readOnly: true })
    expect(reader.versions('kept').map(({ by, how, spec }) => [by, how, spec])).to.deep.equal([
      ['ann', 'saved', 'steps: [echo one]\n']
    ])
    await reader.close()
  })
})
