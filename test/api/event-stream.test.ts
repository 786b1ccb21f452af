/** Server-sent events: what goes out when. Source: api-semantics 12. */
import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ParameterizedContext } from 'koa'
import { type EventSource, eventStreams } from '../../src/api/event-stream.ts'

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
})
