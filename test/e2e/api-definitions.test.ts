/** Stored definitions: how they are written, and how changes behind the engine's back are seen. Source: api-semantics 3.2, 3.3; reliability P12. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Json, type LiveApi, liveApi } from '../support/live-api.ts'
import { eventually } from '../support/waiting.ts'

const described = (description: string) => `description: ${description}\nsteps: ["true"]\n`

async function namesListed(api: LiveApi): Promise<string[]> {
  const { status, json } = await api.call('GET', '/dags?perPage=1000')
  expect(status).to.equal(200)
  return json.dags.map(({ fileName }: Json) => fileName)
}
async function descriptionListed(api: LiveApi, fileName: string): Promise<string | undefined> {
  const { dags } = (await api.call('GET', '/dags?perPage=1000')).json
  return dags.find((dag: Json) => dag.fileName === fileName)?.dag.description
}
/** Waits until the list shows it, 1 s at most. */
const soon = (what: string, holds: () => Promise<boolean>) =>
  eventually(what, async () => ((await holds()) ? true : undefined), 1_000)

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

  it('U14 a name with dots: created, read, replaced, started; 400 when there is no such definition', async () => {
    const created = await api.call('POST', '/dags', { body: { name: 'etl.v1.2', spec: described('dots') } })
    expect([created.status, created.json]).to.deep.equal([201, { name: 'etl.v1.2' }])
    expect(existsSync(path('etl.v1.2.yaml'))).to.equal(true)
    expect((await api.call('GET', '/dags/etl.v1.2')).json.dag).to.include({ name: 'etl.v1.2', description: 'dots' })
    expect((await put('etl.v1.2', described('more dots'))).json).to.deep.equal({ errors: [] })
    const id = await api.started('etl.v1.2')
    expect((await api.ended('etl.v1.2', id)).statusLabel).to.equal('succeeded')
    expect((await api.call('GET', '/dags/etl.v1.2/dag-runs/latest')).json.dagRun.dagRunId).to.equal(id)
    expect(await namesListed(api)).to.include('etl.v1.2')
    for (const missing of ['etl.v9', '.etl', 'etl..'])
      expect((await api.call('GET', `/dags/${missing}`)).json.code, missing).to.equal('bad_request')
  })

  it('fileName matches ^[a-zA-Z0-9_-]+$: one with - in front is read, replaced, started, suspended, renamed and removed', async () => {
    api.write('-lead', described('dash'))
    expect(await namesListed(api)).to.include('-lead')
    expect((await api.call('GET', '/dags/-lead')).json.dag).to.include({ name: '-lead', description: 'dash' })
    expect((await put('-lead', described('more'))).json).to.deep.equal({ errors: [] })
    expect((await api.call('GET', '/dags/-lead/spec')).json.spec).to.equal(described('more'))
    const id = await api.started('-lead')
    expect((await api.ended('-lead', id)).statusLabel).to.equal('succeeded')
    expect((await api.call('GET', '/dags/-lead/dag-runs')).json.dagRuns).to.have.length(1)
    expect((await api.call('POST', '/dags/-lead/suspend', { body: { suspend: true } })).status).to.equal(200)
    api.write('-other', described('removed'))
    expect((await api.call('DELETE', '/dags/-other')).status).to.equal(204)
    const renamed = (newFileName: string) => api.call('POST', '/dags/-lead/rename', { body: { newFileName } })
    expect((await renamed('-new')).status, 'a new name has no - in front').to.equal(400)
    expect((await renamed('led')).status).to.equal(200)
    expect((await api.call('GET', '/dags/led')).json).to.include({ suspended: true })
    expect((await api.call('GET', '/dags/led/dag-runs/latest')).json.dagRun.dagRunId).to.equal(id)
  })

  it('a file with a name that a definition cannot have is listed, with the problem in its own errors; by path it is 400', async () => {
    for (const name of ['sp ace', 'ünï', 'a+b']) {
      api.write(name, 'name: fine\nschedule: "* * * * *"\nsteps: ["true"]\n')
      const path = `/dags/${encodeURIComponent(name)}`
      const { dags } = (await api.call('GET', `/dags?name=${encodeURIComponent(name)}`)).json
      expect(dags, name).to.have.length(1)
      expect(dags[0]).to.deep.include({ fileName: name, suspended: false })
      expect(dags[0].dag).to.include({ name, nextRun: '' })
      expect(dags[0].dag.schedule).to.deep.equal([])
      expect(dags[0].errors).to.deep.equal([
        `file name: wanted letters, digits, "_", "-" and ".", found ${JSON.stringify(name)}: rename the file`
      ])
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/spec'],
        ['DELETE', ''],
        ['POST', '/start']
      ] as const) {
        const { status, json } = await api.call(method, path + rest)
        expect([status, json.code], `${method} ${name}${rest}`).to.deep.equal([400, 'bad_request'])
      }
      const { errors } = (await api.call('GET', '/dags/tags')).json
      expect(errors.some((error: string) => error.startsWith(`${name}: `))).to.equal(true)
    }
    const text = (await api.call('GET', '/metrics')).text
    expect(Number(/^engine_dags_total (\d+)$/m.exec(text)?.[1])).to.equal((await namesListed(api)).length)
    for (const name of ['sp ace', 'ünï', 'a+b']) rmSync(path(`${name}.yaml`))
    await soon('they are gone', async () => !(await namesListed(api)).includes('ünï'))
  })

  it('the DAG name is the name of the spec, else of the file; history goes by it', async () => {
    api.write('file-name', 'name: dag-name\nsteps: ["true"]\n')
    const id = await api.started('file-name')
    await api.ended('dag-name', id)
    const listed = (await api.call('GET', '/dags?name=file-name')).json.dags[0]
    expect([listed.fileName, listed.dag.name, listed.latestDAGRun.dagRunId]).to.deep.equal([
      'file-name',
      'dag-name',
      id
    ])
    expect((await api.call('GET', `/dags/file-name/dag-runs/${id}`)).status).to.equal(200)
    expect((await api.call('GET', '/dag-runs/file-name')).json).to.deep.equal({ dagRuns: [] })
  })

  it('only *.yaml and *.yml directly in the folder', async () => {
    mkdirSync(path('deeper'))
    writeFileSync(path('deeper/inner.yaml'), described('inner'))
    for (const file of ['.hidden.yaml', 'notes.txt', 'noext', 'x.yaml.bak', '.yaml'])
      writeFileSync(path(file), described('no'))
    expect((await namesListed(api)).filter((name) => /inner|hidden|notes|noext|bak|^$/.test(name))).to.deep.equal([])
    rmSync(path('deeper'), { recursive: true })
  })
})

describe('API › definitions changed behind its back', () => {
  const api = liveApi()
  const path = (file: string) => join(api.engine.config.dagsDir, file)

  it('a definitions folder that does not exist yet: reading makes none; one that somebody makes is seen at once', async () => {
    expect(await namesListed(api)).to.deep.equal([])
    expect(existsSync(api.engine.config.dagsDir)).to.equal(false)
    api.write('first', described('1'))
    expect(await namesListed(api)).to.deep.equal(['first'])
  })

  it('a file created, changed in place, replaced, renamed, deleted: seen within 1 s in the list, at once by its name', async () => {
    api.write('file', described('created'))
    await soon('the new file', async () => (await descriptionListed(api, 'file')) === 'created')
    for (const text of ['changed', 'changeD', 'longer than before']) {
      writeFileSync(path('file.yaml'), described(text))
      expect((await api.call('GET', '/dags/file')).json.dag.description).to.equal(text)
      await soon(text, async () => (await descriptionListed(api, 'file')) === text)
    }
    writeFileSync(path('tmp'), described('moved here'))
    renameSync(path('tmp'), path('file.yaml'))
    expect((await api.call('GET', '/dags/file/spec')).json.spec).to.equal(described('moved here'))
    await soon('the replacement', async () => (await descriptionListed(api, 'file')) === 'moved here')
    renameSync(path('file.yaml'), path('moved.yaml'))
    expect((await api.call('POST', '/dags/file/start')).status).to.equal(404)
    await soon('the rename', async () => (await namesListed(api)).join() === 'first,moved')
    rmSync(path('moved.yaml'))
    expect((await api.call('GET', '/dags/moved')).status).to.equal(404)
    await soon('the end of it', async () => (await namesListed(api)).join() === 'first')
  })

  it('a text of the same length and modification time is seen too', async () => {
    const at = new Date(1_700_000_000_000)
    for (const word of ['one', 'two', 'six']) {
      writeFileSync(path('same.yaml'), described(word))
      utimesSync(path('same.yaml'), at, at)
      await new Promise((resolve) => setTimeout(resolve, 150)) // longer than a young stamp is distrusted
      expect((await api.call('GET', '/dags/same')).json.dag.description).to.equal(word)
      await soon(word, async () => (await descriptionListed(api, 'same')) === word)
    }
  })

  it('a start runs the text that is there now', async () => {
    for (const word of ['red', 'fox']) {
      writeFileSync(path('now.yaml'), `steps: [echo ${word}]\n`)
      const id = await api.started('now')
      await api.ended('now', id)
      expect((await api.call('GET', `/dag-runs/now/${id}/steps/cmd_1/log`)).json.content).to.equal(word)
    }
  })

  it('the whole folder removed and made again, or another put in its place: seen, and so is what happens in it', async () => {
    const { dagsDir } = api.engine.config
    for (const replace of [
      () => {
        rmSync(dagsDir, { recursive: true })
        mkdirSync(dagsDir)
      },
      () => {
        renameSync(dagsDir, `${dagsDir}.old`)
        mkdirSync(dagsDir)
      }
    ]) {
      api.write('before', described('x'))
      await soon('the folder', async () => (await namesListed(api)).includes('before'))
      replace()
      await soon('the empty folder', async () => (await namesListed(api)).length === 0)
      api.write('after', described('1'))
      await soon('a file in it', async () => (await descriptionListed(api, 'after')) === '1')
      api.write('after', described('2'))
      await soon('a change in it', async () => (await descriptionListed(api, 'after')) === '2')
    }
    rmSync(dagsDir, { recursive: true })
    await soon('no folder', async () => (await namesListed(api)).length === 0)
    expect(
      (await api.call('POST', '/dags', { body: { name: 'anew' } })).status,
      'it is made when it is needed'
    ).to.equal(201)
    expect(await namesListed(api)).to.deep.equal(['anew'])
  })
})

describe('API › a definitions folder that is none', () => {
  it('is refused when the engine is opened', async () => {
    const file = join(temporaryFolder(), 'flow.yaml')
    writeFileSync(file, described('x'))
    const opening = createEngine({ home: temporaryFolder(), dagsDir: file })
    const error = await opening.then(
      () => undefined,
      (error) => error
    )
    expect(error).to.include({ code: 'bad_request' })
    expect(error.message).to.equal(`definitions folder: wanted a folder, found something else at ${file}`)
  })
})

describe('API › a definitions folder behind a link', () => {
  const place = temporaryFolder()
  const api = liveApi({ dagsDir: join(place, 'current') })

  it('the link turned to another folder (as checkouts are switched): seen within 1 s', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(place, version))
      writeFileSync(join(place, version, 'flow.yaml'), described(version))
      symlinkSync(version, join(place, 'next'))
      renameSync(join(place, 'next'), join(place, 'current'))
      await soon(version, async () => (await descriptionListed(api, 'flow')) === version)
    }
    expect((await api.call('GET', '/dags/flow')).json.dag.description).to.equal('v2')
  })
})
