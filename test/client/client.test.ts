/** `troupe/client` against a real server: what is asked, what comes back, and how it fails. Source: docs/client.md. */
import { expect } from 'chai'
import { build } from 'esbuild'
import { ApiError, createClient, type RunDetails, UnexpectedAnswer } from '../../src/client/index.ts'
import { PROJECT } from '../support/project.ts'
import { liveClient, SPEC } from './live-client.ts'

describe('troupe/client', () => {
  const { api, client, failure } = liveClient()

  it('creates, starts, waits for, and reads; path, query and body go where they belong', async () => {
    const troupe = client()
    expect(await troupe.createDag({ body: { name: 'hello', spec: SPEC } })).to.deep.equal({ name: 'hello' })
    const { dagRunId } = await troupe.startDag({
      path: { fileName: 'hello' },
      body: { params: 'NAME="a/b &c"', dagRunId: 'first', dagName: null }
    })
    await api.ended('hello', dagRunId)
    const { dagRun } = await troupe.getRun({ path: { name: 'hello', dagRunId: 'latest' } })
    const details: RunDetails = dagRun
    expect([details.dagRunId, details.statusLabel, details.params]).to.deep.equal(['first', 'succeeded', 'NAME=a/b &c'])
    const { outputs } = await troupe.getRunOutputs({ path: { name: 'hello', dagRunId } })
    expect(outputs).to.deep.equal({ GREETING: 'hello a/b &c' })
    const { dags, pagination } = await troupe.listDags({ query: { perPage: 1, tag: [], name: 'hel' } })
    expect([dags.map(({ fileName }) => fileName), pagination.totalRecords]).to.deep.equal([['hello'], 1])
    const { dagRuns } = await troupe.listRuns({ query: { status: [4, 2] } })
    expect(dagRuns.map(({ dagRunId }) => dagRunId)).to.deep.equal(['first'])
    expect(await troupe.getMetrics()).to.match(/^# HELP/)
  })

  it('an empty answer is undefined; one that speaks in a header gives that', async () => {
    const troupe = client()
    expect(await troupe.suspendDag({ path: { fileName: 'hello' }, body: { suspend: true } })).to.equal(undefined)
    const run = { name: 'hello', dagRunId: 'first' }
    expect(await troupe.retryRun({ path: run, body: { dagRunId: 'again' } })).to.deep.equal({
      'Engine-Run-Id': 'again'
    })
    await api.ended('hello', 'again')
    await troupe.setStepStatus({ path: { ...run, stepName: 'greet' }, body: { status: 2 } })
    await troupe.createDag({ body: { name: 'gone' } })
    expect(await troupe.deleteDag({ path: { fileName: 'gone' } })).to.equal(undefined)
  })

  it('an Error object is thrown as ApiError with status, code, message and details', async () => {
    const error = await failure(client().createDag({ body: { name: 'b', spec: 'steps: 7' } }))
    if (!(error instanceof ApiError)) throw error
    expect([error.status, error.code, error.details.errors]).to.deep.equal([
      400,
      'bad_request',
      [error.message.replace('invalid spec: ', '')]
    ])
    const missing = await failure(client().getDag({ path: { fileName: '../etc' } }))
    expect(missing).to.be.an.instanceOf(ApiError).and.to.have.property('code', 'bad_request')
  })

  it('a response that is not from the API is distinguished', async () => {
    const page = (status: number) =>
      createClient({ baseUrl: '/', fetch: async () => new Response('<html>', { status }) })
    for (const status of [200, 202, 502])
      expect(await failure(page(status).listTags()))
        .to.be.an.instanceOf(UnexpectedAnswer)
        .and.to.have.property('status', status)
  })

  it('a path with a part missing, empty or lost on the way is refused, and nothing is sent', async () => {
    let sent = 0
    const silent = createClient({
      baseUrl: '/',
      fetch: async () => {
        sent++
        return new Response('{}')
      }
    })
    const says = async (asked: Promise<unknown>, message: string) =>
      expect(await failure(asked))
        .to.be.an.instanceOf(TypeError)
        .and.to.have.property('message', message)
    const given = (path: object) => ({ path }) as { path: { name: string; dagRunId: string } } // as from JavaScript
    await says(silent.getRun(given({ name: 'a' })), 'path.dagRunId: wanted text, found nothing')
    await says(silent.getRun({ path: { name: 'a', dagRunId: '' } }), 'path.dagRunId: wanted text, found ""')
    await says(
      silent.deleteDag({ path: { fileName: '..' } }),
      'path.fileName: wanted what an address can hold, found ".."'
    )
    await says(silent.runEvents(given({ name: 'a' })).next(), 'path.dagRunId: wanted text, found nothing')
    expect(sent).to.equal(0)
    expect(() => createClient({} as { baseUrl: string })).to.throw(TypeError, 'createClient: baseUrl: wanted text')
  })

  it('credentials go along: a token, else name and password, in UTF-8', async () => {
    const sent: (string | null)[] = []
    const spy: typeof fetch = async (_url, options) => {
      sent.push(new Headers(options?.headers).get('Authorization'))
      return new Response('{"tags":[],"errors":[]}')
    }
    const basic = { username: 'é', password: 'x:y' }
    await createClient({ baseUrl: '/', fetch: spy }).listTags()
    await createClient({ baseUrl: '/', fetch: spy, basic }).listTags()
    await createClient({ baseUrl: '/', fetch: spy, basic, token: 't' }).listTags()
    expect(sent).to.deep.equal([null, `Basic ${Buffer.from('é:x:y').toString('base64')}`, 'Bearer t'])
  })

  it('types: a wrong path, query, body or member does not compile', () => {
    const check = (troupe: ReturnType<typeof client>) => [
      // @ts-expect-error the path is missing
      () => troupe.getDag(),
      // @ts-expect-error no such parameter
      () => troupe.listDags({ query: { nam: 'a' } }),
      // @ts-expect-error q is required
      () => troupe.searchDags({ query: {} }),
      // @ts-expect-error a boolean is wanted
      () => troupe.suspendDag({ path: { fileName: 'a' }, body: { suspend: 'yes' } }),
      // @ts-expect-error no such member
      async () => (await troupe.getRun({ path: { name: 'a', dagRunId: 'b' } })).dagRun.statusName
    ]
    expect(check).to.be.a('function')
  })

  it('package.json exports it, and it is a bundle for a browser: nothing of Node, one small file', async () => {
    const name = 'troupe/client'
    const module: object = await import(name)
    expect(module).to.have.property('createClient')
    const { outputFiles } = await build({
      entryPoints: [`${PROJECT}dist/src/client/index.js`],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false
    })
    expect(outputFiles[0]?.text).to.not.match(/node:|require\(/)
    expect(outputFiles[0]?.contents.length).to.be.lessThan(72_000)
  })
})
