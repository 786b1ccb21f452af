/** `troupe/client` against a real server: what is asked, what comes back, how it fails, and streams that go on after a break. Source: the issue "a typed client". */
import { expect } from 'chai'
import { build } from 'esbuild'
import { ApiError, createClient, type RunDetails, type Told, UnexpectedAnswer } from '../../src/client/index.ts'
import { PROJECT } from '../support/import-table.ts'
import { liveApi } from '../support/live-api.ts'
import { eventually } from '../support/waiting.ts'

const SPEC = 'params: NAME=world\nsteps:\n  - name: greet\n    command: echo "hello ${NAME}"\n    output: GREETING\n'

describe('troupe/client', () => {
  const api = liveApi()
  const baseUrl = () => `http://127.0.0.1:${api.port}/api/v2`
  const client = () => createClient({ baseUrl: baseUrl() })

  const failure = async (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => expect.fail('it was not refused'),
      (error: unknown) => error
    )

  it('creates, starts, waits for, and reads; path, query and body go where they belong', async () => {
    const troupe = client()
    expect(await troupe.createDag({ body: { name: 'hello', spec: SPEC } })).to.deep.equal({ name: 'hello' })
    const { dagRunId } = await troupe.startDag({
      path: { fileName: 'hello' },
      body: { params: 'NAME="a/b &c"', dagRunId: 'first' }
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

  it('what is no answer of the API is told from it', async () => {
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

  it('events: from the first of a run to its last, and none twice or lost when the connection breaks', async () => {
    const path = { name: 'hello', dagRunId: 'first' }
    const whole: Told[] = []
    for await (const told of client().runEvents({ path, query: { follow: false } })) whole.push(told)
    expect(whole.length).to.be.greaterThan(5)

    const resumed: (string | null)[] = []
    const breaking: typeof fetch = async (url, options) => {
      resumed.push(new Headers(options?.headers).get('Last-Event-ID'))
      const response = await fetch(url, options)
      const reader = response.body?.getReader()
      let text = ''
      while (reader && text.split('\n\n').length < 4) text += new TextDecoder().decode((await reader.read()).value)
      await reader?.cancel()
      // The comment and two events, then the third is cut off in the middle.
      const blocks = text.split('\n\n')
      return new Response(`${blocks.slice(0, 3).join('\n\n')}\n\n${blocks[3]?.slice(0, 9)}`, {
        headers: { 'Content-Type': 'text/event-stream' }
      })
    }
    const stop = new AbortController()
    const broken: Told[] = []
    for await (const told of createClient({ baseUrl: baseUrl(), fetch: breaking }).runEvents({
      path,
      signal: stop.signal
    })) {
      broken.push(told)
      if (broken.length === 4) stop.abort()
    }
    expect(broken).to.deep.equal(whole.slice(0, 4))
    expect(resumed).to.deep.equal([null, whole.map((told) => ('id' in told ? told.id : ''))[1]])
  })

  it('events of the latest run stay with that run when the connection breaks and another one has begun', async () => {
    const asked: string[] = []
    const event = (dagRunId: string, seq: number) => `id: ${seq}\ndata: ${JSON.stringify({ dagRunId, seq })}\n\n`
    const breaking: typeof fetch = async (url) => {
      asked.push(new URL(String(url)).pathname)
      const text = asked.length === 1 ? `: the journal\n\n${event('old', 1)}` : event('old', 2)
      return new Response(text, { headers: { 'Content-Type': 'text/event-stream' } })
    }
    const troupe = createClient({ baseUrl: 'http://example.org', fetch: breaking })
    const stop = new AbortController()
    const path = { name: 'a', dagRunId: 'latest' }
    for await (const told of troupe.runEvents({ path, signal: stop.signal }))
      if ('id' in told && told.id === '2') stop.abort()
    expect(asked).to.deep.equal(['/dag-runs/a/latest/events', '/dag-runs/a/old/events'])
    expect(path.dagRunId, 'what the caller gave is his').to.equal('latest')
  })

  it('events of an address that can be none are refused, and not asked for ever', async () => {
    const wrong = ['/api/v2', '127.0.0.1:8080/api/v2', 'localhost:8080/api/v2', 'http://', 'http://a:secret@127.0.0.1/']
    for (const baseUrl of wrong) {
      const error = await failure(createClient({ baseUrl }).events().next())
      expect(error, baseUrl).to.be.an.instanceOf(TypeError)
      expect(String(error), baseUrl)
        .to.contain('baseUrl: wanted an http or https address without credentials in it, found')
        .and.not.contain('secret')
    }
  })

  it('events with a header that HTTP cannot carry are refused, not asked for ever; the error does not show its value', async () => {
    const baseUrl = 'http://127.0.0.1:1/api/v2'
    for (const given of [
      { token: 'hush\nhush' },
      { headers: { 'X-Team': 'hush\u0000' } },
      { headers: { 'no name': 'hush' } }
    ]) {
      const error = await failure(
        createClient({ baseUrl, ...given })
          .events()
          .next()
      )
      expect(error).to.be.an.instanceOf(TypeError)
      expect(String(error))
        .to.match(
          /headers: wanted a name and a value that HTTP can carry, found others in "(Authorization|X-Team|no name)"/
        )
        .and.not.contain('hush')
    }
  })

  it('events of all runs come as they happen; an abort ends the stream without an error', async () => {
    const stop = new AbortController()
    const names: string[] = []
    const reading = (async () => {
      for await (const told of client().events({ query: { after: 'now' }, signal: stop.signal }))
        if ('event' in told) names.push(told.event.dagRunId)
    })()
    await eventually('an event of a new run', async () => {
      await client()
        .startInline({ body: { spec: 'steps: ["true"]', name: 'adhoc', singleton: false } })
        .catch(() => 0)
      return names.length > 0 ? true : undefined
    })
    stop.abort()
    await reading
  })

  it('a stream that is refused says so', async () => {
    const stream = client().runEvents({ path: { name: 'hello', dagRunId: 'none' } })
    expect(await failure(stream.next()))
      .to.be.an.instanceOf(ApiError)
      .and.to.have.property('code', 'not_found')
  })

  it('whoever answers a request for a stream with something else is told from the API, and not asked for ever', async () => {
    for (const answer of [new Response('<html>', { headers: { 'content-type': 'text/html' } }), new Response('')]) {
      const page = createClient({ baseUrl: '/', fetch: async () => answer })
      expect(await failure(page.events().next()))
        .to.be.an.instanceOf(UnexpectedAnswer)
        .and.to.include({
          status: 200,
          message: `wanted text/event-stream, found ${answer.headers.get('content-type') ?? 'nothing'}`
        })
    }
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
    expect(outputFiles[0]?.contents.length).to.be.lessThan(40_000)
  })
})
