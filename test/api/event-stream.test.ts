/** Server-sent events: what goes out when. Source: api-semantics 12. */
import { EventEmitter } from 'node:events'
import { Agent, type ClientRequest, get } from 'node:http'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ParameterizedContext } from 'koa'
import { type EventSource, eventStreams } from '../../src/api/event-stream.ts'
import { LimitReached } from '../../src/errors.ts'
import { fakeEngine } from '../support/fake-engine.ts'
import { eventually } from '../support/waiting.ts'
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
    const ctx = { res: new EventEmitter(), set() {}, body: undefined as unknown, type: '' }
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
    const ctx = { res: new EventEmitter(), set() {}, body: undefined as unknown, type: '' }
    eventStreams(closed.signal)(ctx as unknown as ParameterizedContext, source, { after: 0, follow: true })
    const packets = (ctx.body as Readable)[Symbol.asyncIterator]()
    stored.push(1)
    await packets.next()
    await packets.next()
    const end = packets.next()
    closed.abort()
    expect((await end).done).to.equal(true)
  })

  it('500 streams are open: the next is refused with 503 and Retry-After, until one has ended', async () => {
    const faults: unknown[] = []
    const { port, call, close } = await served(fakeEngine(), { log: (_message, cause) => void faults.push(cause) })
    const agent = new Agent({ maxSockets: 600 })
    const open = () =>
      new Promise<ClientRequest>((resolve, reject) => {
        const sent = get({ agent, host: '127.0.0.1', port, path: '/api/v2/events' }, (response) => {
          response.on('error', () => undefined).resume()
          resolve(sent)
        }).on('error', reject)
      })
    try {
      const [first] = await Promise.all(Array.from({ length: 500 }, open))
      const { status, json, headers } = await call('GET', '/events?follow=false')
      expect([status, json.code, headers['retry-after']]).to.deep.equal([503, 'service_unavailable', '1'])
      expect(faults.map((cause) => cause instanceof LimitReached)).to.deep.equal([true])
      first?.destroy()
      await eventually('a place', async () => {
        const answer = await call('GET', '/events?follow=false')
        return answer.status === 200 || undefined
      })
    } finally {
      agent.destroy()
      await close()
    }
  })
})
