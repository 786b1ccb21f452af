/** Definitions written over HTTP: whole, in order, one of a name; runs keep the text that they began with. Source: api-semantics 3.2, 3.3; reliability P12. */
import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { described, descriptionListed } from '../../../support/api/listed-definitions.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { temporaryFolder } from '../../../support/homes.ts'

describe('API › writing definitions', () => {
  const api = liveApi()
  const path = (file: string) => join(api.engine.config.dagsDir, file)
  const put = (fileName: string, spec: string) => api.call('PUT', `/dags/${fileName}/spec`, { body: { spec } })

  it('PUT: file replaced atomically (write + rename): who has it open reads on in the old text, nothing is left beside it', async () => {
    api.write('atomic', described('old'))
    const reader = openSync(path('atomic.yaml'), 'r')
    const before = statSync(path('atomic.yaml')).ino
    expect((await put('atomic', described('new'))).json).to.deep.equal({ errors: [] })
    expect(readFileSync(reader, 'utf8')).to.equal(described('old'))
    closeSync(reader)
    expect(readFileSync(path('atomic.yaml'), 'utf8')).to.equal(described('new'))
    expect(statSync(path('atomic.yaml')).ino).not.to.equal(before)
    expect(readdirSync(api.engine.config.dagsDir).filter((file) => file.startsWith('.'))).to.deep.equal([])
    expect((await api.call('GET', '/dags/atomic/spec')).json.spec).to.equal(described('new'))
    expect(await descriptionListed(api, 'atomic'), 'at once in the list too').to.equal('new')
  })

  it('PUT is idempotent, and leaves who may read the file as it was; a created file is mode 0600', async () => {
    api.write('shared', described('old'))
    chmodSync(path('shared.yaml'), 0o664)
    for (const _ of [1, 2]) expect((await put('shared', described('new'))).json).to.deep.equal({ errors: [] })
    expect(statSync(path('shared.yaml')).mode & 0o777).to.equal(0o664)
    await api.call('POST', '/dags', { body: { name: 'own' } })
    expect(statSync(path('own.yaml')).mode & 0o777).to.equal(0o600)
  })

  it('PUT of a definition that is a link writes the file that it leads to: the link stays', async () => {
    const checkout = join(temporaryFolder(), 'linked.yaml')
    writeFileSync(checkout, described('old'))
    symlinkSync(checkout, path('linked.yaml'))
    expect((await put('linked', described('new'))).json).to.deep.equal({ errors: [] })
    expect([readlinkSync(path('linked.yaml')), readFileSync(checkout, 'utf8')]).to.deep.equal([
      checkout,
      described('new')
    ])
    expect(readdirSync(dirname(checkout))).to.deep.equal(['linked.yaml'])
    expect(await descriptionListed(api, 'linked')).to.equal('new')
    expect((await api.call('DELETE', '/dags/linked')).status).to.equal(204)
    symlinkSync('circle.yaml', path('circle.yaml'))
    expect((await put('circle', described('new'))).json, 'one that leads nowhere').to.deep.equal({ errors: [] })
    expect(readFileSync(path('circle.yaml'), 'utf8')).to.equal(described('new'))
    expect((await api.call('DELETE', '/dags/circle')).status).to.equal(204)
    expect(readFileSync(checkout, 'utf8')).to.equal(described('new'))
  })

  it('PUT one after another without a pause: the last text counts, in the list and at start', async () => {
    api.write('quick', described('0'))
    for (let at = 1; at <= 50; at++) {
      await put('quick', described(String(at)))
      if (at % 2) expect((await api.call('GET', '/dags/quick')).json.dag.description).to.equal(String(at))
    }
    expect(await descriptionListed(api, 'quick')).to.equal('50')
  })

  it('running runs keep their snapshot when their definition is replaced, and when it is deleted (P12)', async () => {
    const gate = join(temporaryFolder(), 'open')
    const spec = (word: string) =>
      `maxActiveRuns: -1\nsteps:\n  - while [ ! -e ${gate} ]; do sleep 0.02; done\n  - echo ${word}\n`
    api.write('kept', spec('old'))
    const old = await api.started('kept')
    expect((await put('kept', `${spec('new')}  - echo more\n`)).json).to.deep.equal({ errors: [] })
    const fresh = await api.started('kept')
    rmSync(path('kept.yaml'))
    expect((await api.call('GET', '/dags/kept')).status).to.equal(404)
    expect((await api.call('GET', `/dags/kept/dag-runs/${old}`)).status, 'history is still served').to.equal(200)
    writeFileSync(gate, '')
    const [first, second] = [await api.ended('kept', old), await api.ended('kept', fresh)]
    expect([first.statusLabel, first.nodes.length, second.nodes.length]).to.deep.equal(['succeeded', 2, 3])
    const content = async (id: string) => (await api.call('GET', `/dag-runs/kept/${id}/steps/cmd_2/log`)).json.content
    expect([await content(old), await content(fresh)]).to.deep.equal(['old', 'new'])
  })

  it('POST /dags: a .yml of the same base name also conflicts; of both, .yaml is the definition', async () => {
    writeFileSync(path('other.yml'), described('yml'))
    const before = api.digest()
    const { status, json } = await api.call('POST', '/dags', { body: { name: 'other' } })
    expect([status, json.code]).to.deep.equal([409, 'already_exists'])
    expect(api.digest()).to.deep.equal(before)
    expect((await api.call('GET', '/dags/other')).json.dag.description).to.equal('yml')
    expect((await put('other', described('still yml'))).status).to.equal(200)
    expect(readFileSync(path('other.yml'), 'utf8')).to.equal(described('still yml'))
    api.write('other', described('yaml'))
    expect((await api.call('GET', '/dags/other')).json.dag.description).to.equal('yaml')
  })

  it('POST /dags of one name at once: one is created, all others 409, and its text is whole', async () => {
    const clients = Array.from({ length: 16 }, (_, at) => described(`client ${at} ${'x'.repeat(10_000)}`))
    const answers = await Promise.all(
      clients.map((spec) => api.call('POST', '/dags', { body: { name: 'raced', spec } }))
    )
    const codes = answers.map(({ status, json }) => (status === 201 ? 201 : json.code))
    expect(codes.filter((code) => code === 201)).to.have.length(1)
    expect(codes.filter((code) => code === 'already_exists')).to.have.length(15)
    expect(readFileSync(path('raced.yaml'), 'utf8')).to.equal(clients[codes.indexOf(201)])
  })
})
