/** Server-sent events: what goes out when. Source: api-semantics 12. */
import { EventEmitter } from 'node:events'
import { Agent, type ClientRequest, get } from 'node:http'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ParameterizedContext } from 'koa'
import { type EventSource, eventStreams } from '../../src/api/event-stream.ts'
import type { Settings } from '../../src/config.ts'
import { LimitReached } from '../../src/errors.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { eventually } from '../support/waiting.ts'
import { configOf } from './api-with.ts'
import { served } from './client.ts'

describe('API › event streams', () => {
  const closing = new AbortController()
  const answer = eventStreams(closing.signal)
  const stored: number[] = []
  let told = () => {}
  const source: EventSource = {
    read(after, limit) {
      const events = stored.filter((id) => id > after).slice(0, limit)
      return { events: events.map((id) => ({ id, data: { id } })), end: events.at(-1) ?? after, missed: 0 }
    },
    latest: () => stored.at(-1) ?? 0,
    watch(tell) {
      told = tell
      return () => {}
    }
  }
  const happens = (...ids: number[]) => {
    stored.push(...ids)
    told()
  }
  /** The packets of a stream, one by one. */
  function opened(follow = true): () => Promise<string> {
    const ctx = { res: new EventEmitter(), state: {}, set() {}, body: undefined as unknown, type: '' }
    answer(ctx as unknown as ParameterizedContext, source, { after: 0, follow })
    const packets = (ctx.body as Readable)[Symbol.asyncIterator]()
    return async () => String((await packets.next()).value ?? 'ended')
  }
  const idsIn = (packet: string) => Array.from(packet.matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id))

  beforeEach(() => {
    stored.length = 0
  })
  after(() => closing.abort())

  it('the first event goes out at once; those that follow it closely go out together, each once and in order', async () => {
    const next = opened()
    expect(await next()).to.equal(': the journal\n\n')
    const first = next()
    happens(1)
    expect(idsIn(await first)).to.deep.equal([1])
    const rest = next()
    for (const id of [2, 3, 4]) setImmediate(() => happens(id))
    expect(idsIn(await rest)).to.deep.equal([2, 3, 4])
    const later = next()
    happens(5, 6)
    expect(idsIn(await later)).to.deep.equal([5, 6])
  })

  it('what is stored comes without a wait, however much of it there is, and a stream that does not follow ends with it', async () => {
    stored.push(...Array.from({ length: 250 }, (_, at) => at + 1))
    const next = opened(false)
    const ids: number[] = []
    for (let packet = await next(); packet !== 'ended'; packet = await next()) ids.push(...idsIn(packet))
    expect(ids).to.deep.equal(stored)
  })

  it('a server that closes ends a stream that gathers events', async () => {
    const closed = new AbortController()
    const ctx = { res: new EventEmitter(), state: {}, set() {}, body: undefined as unknown, type: '' }
    eventStreams(closed.signal)(ctx as unknown as ParameterizedContext, source, { after: 0, follow: true })
    const packets = (ctx.body as Readable)[Symbol.asyncIterator]()
    stored.push(1)
    await packets.next()
    await packets.next()
    const end = packets.next()
    closed.abort()
    expect((await end).done).to.equal(true)
  })

  /** Streams of a server, as those have them whose token is `who`. */
  async function streams(settings: Settings['settings'], who: readonly string[]) {
    const faults: unknown[] = []
    const api = await served(fakeEngine(configOf(settings)), { log: (_message, cause) => void faults.push(cause) })
    const agent = new Agent({ maxSockets: 700 })
    const headersOf = (token: string) => ({ Authorization: `Bearer ${token}` })
    const open = (headers: Record<string, string>) =>
      new Promise<ClientRequest>((resolve, reject) => {
        const sent = get({ agent, host: '127.0.0.1', port: api.port, path: '/api/v2/events', headers }, (response) => {
          response.on('error', () => undefined).resume()
          if (response.statusCode === 200) resolve(sent)
          else reject(new Error(`${response.statusCode}`))
        }).on('error', reject)
      })
    const more = (headers: Record<string, string>) => api.call('GET', '/events?follow=false', { headers })
    const close = async () => {
      agent.destroy()
      await api.close()
    }
    return { faults, open, more, close, of: headersOf, tokens: who.map(headersOf) }
  }
  const TOKENS = Array.from({ length: 9 }, (_, at) => ({ name: `t${at}`, value: `token-${at}`, permissions: ['read'] }))
  const WITH_TOKENS = { 'auth.tokens': TOKENS }

  it('64 streams of one caller: the next is 429 with Retry-After, that of another caller is not, until one has ended', async () => {
    const { open, more, close, of, faults } = await streams(WITH_TOKENS, [])
    try {
      const [first] = await Promise.all(Array.from({ length: 64 }, () => open(of('token-0'))))
      const { status, json, headers } = await more(of('token-0'))
      expect([status, json.code, headers['retry-after']]).to.deep.equal([429, 'service_unavailable', '1'])
      expect(json.message).to.contain('64 event streams')
      expect((await more(of('token-1'))).status).to.equal(200)
      expect(faults, 'the caller alone has to hear of it').to.deep.equal([])
      first?.destroy()
      await eventually('a place', async () => (await more(of('token-0'))).status === 200 || undefined)
    } finally {
      await close()
    }
  })

  it('without authentication it is the address: behind a trusted proxy that of its client', async () => {
    const { open, more, close } = await streams({ 'server.trustedProxies': ['127.0.0.1'] }, [])
    const from = (address: string) => ({ 'X-Forwarded-For': address })
    try {
      await Promise.all(Array.from({ length: 64 }, () => open(from('203.0.113.7'))))
      expect((await more(from('203.0.113.7'))).status).to.equal(429)
      expect((await more(from('203.0.113.8'))).status).to.equal(200)
    } finally {
      await close()
    }
  })

  it('500 streams are open: the next is refused with 503 and Retry-After, until one has ended', async () => {
    const { open, more, close, tokens, faults } = await streams(
      WITH_TOKENS,
      TOKENS.map(({ value }) => value)
    )
    try {
      const [first] = await Promise.all(Array.from({ length: 500 }, (_, at) => open(tokens[at % 8] ?? {})))
      const last = tokens[8] ?? {}
      const { status, json, headers } = await more(last)
      expect([status, json.code, headers['retry-after']]).to.deep.equal([503, 'service_unavailable', '1'])
      expect(faults.map((cause) => cause instanceof LimitReached)).to.deep.equal([true])
      first?.destroy()
      await eventually('a place', async () => (await more(last)).status === 200 || undefined)
    } finally {
      await close()
    }
  })

  it('a client that went away while its credentials were looked at takes no place', () => {
    let taken = 0
    const res = Object.assign(new EventEmitter(), { closed: true })
    const ctx = { res, state: {}, set() {}, body: undefined as unknown, type: '' }
    const stream = eventStreams(closing.signal, { take: () => void taken++ })
    stream(ctx as unknown as ParameterizedContext, source, { after: 0, follow: true })
    expect([taken, ctx.body]).to.deep.equal([0, undefined])
  })
})
