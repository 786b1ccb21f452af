/** Streams of events of `troupe/client`, which go on after a break. Source: docs/client.md. */
import { expect } from 'chai'
import { ApiError, createClient, type Told, UnexpectedAnswer } from '../../src/client/index.ts'
import { eventually } from '../support/waiting.ts'
import { liveClient, SPEC } from './live-client.ts'

describe('troupe/client', () => {
  const { api, baseUrl, client, failure } = liveClient()

  before(async () => {
    await client().startInline({ body: { spec: SPEC, name: 'hello', dagRunId: 'first' } })
    await api.ended('hello', 'first')
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

  it('429 is thrown at first, and tried again when a stream was there before: the server may still count it', async () => {
    const full = () =>
      new Response(JSON.stringify({ code: 'service_unavailable', message: '64 are open' }), { status: 429 })
    const stream = (id: number) =>
      new Response(`id: ${id}\ndata: {"seq":${id}}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
    const refused = createClient({ baseUrl: '/', fetch: async () => full() })
    expect(await failure(refused.events().next()))
      .to.be.an.instanceOf(ApiError)
      .and.to.have.property('status', 429)
    const answers = [stream(1), full(), stream(2)]
    const back = createClient({ baseUrl: '/', fetch: async () => answers.shift() ?? full() }).events()
    expect([await back.next(), await back.next()].map(({ value }) => value && 'id' in value && value.id)).to.deep.equal(
      ['1', '2']
    )
    await back.return(undefined)
  })

  it('a response that is no stream is distinguished from the API, and not retried forever', async () => {
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
})
