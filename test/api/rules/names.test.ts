/** Names and ids from clients. Source: api-semantics 1.3, T8; reliability F33-F35. */
import { expect } from 'chai'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › names and ids', () => {
  const engine = fakeEngine({}, { hello: planOf('hello'), 'a.b': planOf('a.b') })
  engine.addRun({ name: 'a.b', dagRunId: 'r-1' })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())

  const outcome = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await api.call(method, path, { body })
    return status < 300 ? status : `${status} ${json.code}`
  }
  const long = (length: number) => 'x'.repeat(length)

  describe('DAG name: 1-40 chars [A-Za-z0-9_.-]+', () => {
    const bad = ['', 'bad name!', long(41), 'a/b', '..', '.', 'ü', 'a\nb', 'a%2Fb']

    it('as name of a new definition', async () => {
      for (const name of bad) expect(await outcome('POST', '/dags', { name }), name).to.equal('400 bad_request')
      expect(await outcome('POST', '/dags', {})).to.equal('400 bad_request')
      expect(await outcome('POST', '/dags', { name: long(40) })).to.equal(201)
    })

    it('a new definition is no hidden file and no option: no leading . or -', async () => {
      for (const name of ['.hidden', '-rf', '--help']) {
        expect(await outcome('POST', '/dags', { name }), name).to.equal('400 bad_request')
      }
      expect([...engine.texts.keys()].filter((name) => /^[.-]/.test(name))).to.deep.equal([])
    })

    it('as dagName: surrounding spaces trimmed first, empty = absent', async () => {
      for (const dagName of bad.filter((name) => name !== '')) {
        expect(await outcome('POST', '/dags/hello/start', { dagName }), dagName).to.equal('400 bad_request')
      }
      expect(await outcome('POST', '/dags/hello/start', { dagName: '  other ' })).to.equal(200)
      expect(engine.started.at(-1)).to.include({ dagName: 'other' })
      expect(await outcome('POST', '/dags/hello/start', { dagName: '  ' })).to.equal(200)
      expect(engine.started.at(-1)).not.to.have.property('dagName')
    })

    it('as name of an inline spec', async () => {
      const spec = 'steps:\n  - echo hi\n'
      for (const name of bad.filter((name) => name !== '')) {
        expect(await outcome('POST', '/dag-runs', { spec, name }), name).to.equal('400 bad_request')
      }
      expect(await outcome('POST', '/dag-runs', { spec, name: 'ok.name-1_' })).to.equal(200)
    })

    it('as {name} in a path, decoded once', async () => {
      for (const name of ['a%2Fb', '..%2f..%2fetc', 'a%20b', '%252e', 'a%00', long(41), '%2e%2e']) {
        expect(await outcome('GET', `/dag-runs/${name}`), name).to.equal('400 bad_request')
        expect(await outcome('GET', `/dag-runs/${name}/r-1/log`), name).to.equal('400 bad_request')
      }
      expect(await outcome('GET', '/dag-runs/a%2Eb/r-1')).to.equal(200)
    })
  })

  describe('fileName: ^[a-zA-Z0-9_-]+$', () => {
    const bad = [
      '..%2f..%2foutside',
      '%2Fetc%2Fpasswd',
      'a%2Fb',
      'a%20b',
      '%2e%2e',
      '.hidden',
      'x.yaml',
      'a..b',
      long(251)
    ]

    it('400 bad_request on other characters, on every route', async () => {
      const routes = [
        ['GET', ''],
        ['GET', '/spec'],
        ['PUT', '/spec'],
        ['POST', '/start'],
        ['POST', '/enqueue'],
        ['DELETE', ''],
        ['POST', '/rename'],
        ['POST', '/suspend'],
        ['POST', '/stop-all'],
        ['GET', '/dag-runs'],
        ['GET', '/dag-runs/r-1']
      ] as const
      for (const name of bad) {
        for (const [method, rest] of routes) {
          expect(await outcome(method, `/dags/${name}${rest}`, {}), `${method} ${name}${rest}`).to.equal(
            '400 bad_request'
          )
        }
      }
    })

    it('404 when absent', async () => {
      for (const name of ['nobody', '-rf'])
        expect(await outcome('GET', `/dags/${name}`), name).to.equal('404 not_found')
    })

    it('1.1.6 an id containing dots is served when such a definition exists', async () => {
      expect(await outcome('GET', '/dags/a.b')).to.equal(200)
      expect(await outcome('GET', '/dags/a.b/dag-runs/r-1')).to.equal(200)
    })
  })

  describe('run id: ^[-a-zA-Z0-9_]+$, at most 64 chars, and not latest', () => {
    const bad = ['a b', '../x', 'a/b', long(65), "'", 'a.b', 'latest', 'ü']

    it('400 bad_request as dagRunId of a start, empty = absent', async () => {
      for (const dagRunId of bad) {
        expect(await outcome('POST', '/dags/hello/start', { dagRunId }), dagRunId).to.equal('400 bad_request')
        expect(await outcome('POST', '/dag-runs', { spec: 'name: x\n', dagRunId }), dagRunId).to.equal(
          '400 bad_request'
        )
      }
      expect(await outcome('POST', '/dags/hello/start', { dagRunId: '' })).to.equal(200)
      expect(engine.started.at(-1)).not.to.have.property('dagRunId')
      expect(await outcome('POST', '/dags/hello/start', { dagRunId: long(64) })).to.equal(200)
    })

    it('400 bad_request in a path', async () => {
      for (const id of ['a%20b', '..%2Fx', long(65), 'a.b']) {
        expect(await outcome('GET', `/dag-runs/a.b/${id}`), id).to.equal('400 bad_request')
        expect(await outcome('POST', `/dag-runs/a.b/${id}/stop`), id).to.equal('400 bad_request')
      }
    })

    it('400 bad_request for a run id, a DAG name or a sub run id on every route below a run', async () => {
      const routes = [
        ['POST', '/retry'],
        ['POST', '/reschedule'],
        ['GET', '/spec'],
        ['GET', '/outputs'],
        ['GET', '/events'],
        ['GET', '/log'],
        ['PATCH', '/steps/s/status'],
        ['GET', '/sub-dag-runs'],
        ['GET', '/sub-dag-runs/s'],
        ['GET', '/children/s/log'],
        ['GET', '/sub-dag-runs/s/steps/x/log'],
        ['PATCH', '/children/s/steps/x/status']
      ] as const
      for (const [method, rest] of routes) {
        for (const id of ['..%2F..%2Fetc', '%2e%2e', 'a%2Fb', 'a%20b'])
          expect(await outcome(method, `/dag-runs/a.b/${id}${rest}`, { status: 4 }), `${id}${rest}`).to.equal(
            '400 bad_request'
          )
        for (const name of ['..%2Fx', '%2e%2e', long(41)])
          expect(await outcome(method, `/dag-runs/${name}/r-1${rest}`, { status: 4 }), `${name}${rest}`).to.equal(
            '400 bad_request'
          )
        if (!rest.includes('/s')) continue
        const path = rest.replace(/^\/(sub-dag-runs|children)\/s/, '/$1/..%2Fx')
        if (path !== rest)
          expect(await outcome(method, `/dag-runs/a.b/r-1${path}`, { status: 4 }), path).to.equal('400 bad_request')
      }
    })

    it('latest is accepted on every GET, on POST it is 404 not_found', async () => {
      for (const path of ['/dag-runs/a.b/latest', '/dag-runs/a.b/latest/log', '/dags/a.b/dag-runs/latest']) {
        const { status, json } = await api.call('GET', path)
        expect([status, json.message], path).not.to.deep.include(400)
      }
      expect(await outcome('GET', '/dag-runs/a.b/latest')).to.equal(200)
      expect(await outcome('POST', '/dag-runs/a.b/latest/stop')).to.equal('404 not_found')
    })
  })

  it('step name: path segment, percent-decoded, compared exactly -> 404', async () => {
    for (const name of ['nobody', '..%2F..', 'a%20b']) {
      expect(await outcome('GET', `/dag-runs/a.b/r-1/steps/${name}/log`), name).to.equal('404 not_found')
    }
    expect(await outcome('GET', '/dag-runs/a.b/r-1/steps/a%00/log')).to.equal('400 bad_request')
  })
})
