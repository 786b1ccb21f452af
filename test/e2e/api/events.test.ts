/** Server-sent events. Source: api-semantics 12 (`/events`, `/dag-runs/{n}/{id}/events`), architecture 1. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { serve } from '../../../src/api/server.ts'
import { createEngine } from '../../../src/index.ts'
import { type Json, liveApi } from '../../support/api/live-api.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

interface Stream {
  response: IncomingMessage
  /** Events so far. */
  events(): { id: number; data: Json }[]
  text(): string
  readonly ended: boolean
  close(): void
}

function open(port: number, path: string, headers: Record<string, string> = {}): Promise<Stream> {
  return new Promise((resolve, reject) => {
    let text = ''
    let ended = false
    const sent: ClientRequest = request({ host: '127.0.0.1', port, path: `/api/v2${path}`, headers }, (response) => {
      response.on('data', (chunk) => (text += chunk))
      response.on('close', () => (ended = true))
      response.on('error', () => undefined)
      resolve({
        response,
        text: () => text,
        events: () =>
          [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data = '']) => ({
            id: Number(id),
            data: JSON.parse(data)
          })),
        get ended() {
          return ended
        },
        close: () => void sent.destroy()
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('API › events', () => {
  const api = liveApi()
  const TWO = 'steps:\n  - {name: a, command: "true"}\n  - {name: b, command: sleep 0.2}\n'
  const end = ({ data }: { data: Json }) => data.step === undefined && data.finishedAt !== '' && data.status === 4

  it('text/event-stream, never cached; stored first, then live, each event once and in order', async () => {
    const id = await api.startedInline({ spec: `name: seen\n${TWO}` })
    const stream = await open(api.port, `/dag-runs/seen/${id}/events`)
    expect(stream.response.headers).to.deep.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform'
    })
    const events = await eventually('the end', () =>
      Promise.resolve(stream.events().some(end) ? stream.events() : undefined)
    )
    expect(events.map(({ id }) => id)).to.deep.equal(events.map((_, at) => at + 1))
    expect(events.every(({ data }) => data.name === 'seen' && data.dagRunId === id)).to.equal(true)
    const nodeEnds = events
      .filter(({ data }) => data.step && data.statusLabel === 'succeeded')
      .map(({ data }) => data.step)
    expect([...new Set(nodeEnds)]).to.deep.equal(['a', 'b'])
    const last = events.findLast(({ data }) => data.status !== undefined)
    expect(last?.data).to.include({ statusLabel: 'succeeded', actor: `run/seen/${id}`, to: 'succeeded' })
    expect(last?.data.at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/)
    stream.close()
  })

  it('resumable with Last-Event-ID, or ?after=; follow=false ends with what is stored', async () => {
    const id = await api.startedInline({ spec: `name: again\n${TWO}` })
    await api.ended('again', id)
    await api.quiet()
    const path = `/dag-runs/again/${id}/events`
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, found]) => Number(found))
    const all = ids((await api.call('GET', `${path}?follow=false`)).text)
    expect(all.length).to.be.greaterThan(5)
    const rest = await api.call('GET', `${path}?follow=0`, { headers: { 'Last-Event-ID': '3' } })
    expect(ids(rest.text)).to.deep.equal(all.slice(3))
    expect(ids((await api.call('GET', `${path}?follow=0&after=3`)).text)).to.deep.equal(all.slice(3))
    expect(ids((await api.call('GET', `${path}?follow=0&after=now`)).text)).to.deep.equal([])
    for (const wrong of ['x', '-1', '1.5'])
      expect((await api.call('GET', path, { headers: { 'Last-Event-ID': wrong } })).status).to.equal(400)
    expect((await api.call('GET', `${path}?follow=maybe`)).status).to.equal(400)
    expect((await api.call('GET', '/dag-runs/again/nobody/events')).status).to.equal(404)
  })

  it('/events: all runs, one numbering; who comes back misses nothing and sees nothing twice', async () => {
    const first = await open(api.port, '/events?after=now')
    await api.startedInline({ spec: `name: one\n${TWO}` })
    await eventually('some events', () => Promise.resolve(first.events().length > 3 ? true : undefined))
    first.close()
    const seen = first.events()
    await api.startedInline({ spec: `name: two\n${TWO}` })
    const second = await open(api.port, '/events', { 'Last-Event-ID': String(seen.at(-1)?.id) })
    await eventually('both ends', () =>
      Promise.resolve(
        second.events().filter(({ data }) => data.to === 'succeeded' && !data.step).length === 2 ? true : undefined
      )
    )
    second.close()
    const ids = [...seen, ...second.events()].map(({ id }) => id)
    expect(ids).to.deep.equal(ids.map((_, at) => (ids[0] ?? 0) + at))
    expect(new Set(second.events().map(({ data }) => data.name))).to.deep.equal(new Set(['one', 'two']))
  })

  it('a client that goes away is forgotten', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(api.port, '/events')))
    for (const stream of streams) stream.close()
    await api.startedInline({ spec: 'name: after\nsteps: ["true"]' })
    expect(api.faults).to.deep.equal([])
  })

  it('a reader that takes nothing costs nothing: others and the engine go on', async () => {
    const slow = await open(api.port, '/events')
    slow.response.pause()
    for (let count = 0; count < 5; count++) {
      const id = await api.startedInline({ spec: `name: load-${count}\nsteps:\n${'  - "true"\n'.repeat(40)}` })
      await api.ended(`load-${count}`, id)
    }
    slow.response.resume()
    const count = await eventually('all of it', () => {
      const ids = slow.events().map(({ id }) => id)
      return Promise.resolve(ids.length >= api.engine.fed() ? ids : undefined)
    })
    expect(count).to.deep.equal(count.map((_, at) => at + 1))
    slow.close()
  })

  it('HEAD and other methods', async () => {
    const { status, text } = await api.call('HEAD', '/events')
    expect([status, text]).to.deep.equal([200, ''])
    expect((await api.call('POST', '/events')).status).to.equal(405)
  })

  for (const what of ['server', 'engine'] as const)
    it(`streams end when the ${what} closes, and do not hold it up`, async function () {
      this.retries(WHEN_BUSY)
      const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
      const server = await serve(engine, { port: 0, host: '127.0.0.1' })
      const stream = await open(Number(new URL(server.address).port), '/events')
      const began = performance.now()
      const closers = [() => server.close(), () => engine.close()]
      if (what === 'engine') closers.reverse()
      await closers[0]?.()
      await eventually('the end of the stream', () => stream.ended || undefined)
      expect(stream.response.complete, 'ended cleanly').to.equal(true)
      expect(performance.now() - began).to.be.lessThan(3_000)
      await closers[1]?.()
    })
})
