/** Clients of the engine of another process. Source: docs/embedding/several-processes.md. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { z } from 'zod'
import { nodeHandler } from '../../src/http/index.ts'
import {
  type ConnectOptions,
  connectEngine,
  createEngine,
  defineDag,
  type EngineEvent,
  RunCanceled,
  RunFailed,
  SignalRefused,
  TroupeError,
  WaitTimedOut
} from '../../src/index.ts'
import { refused } from '../support/engine/refusals.ts'
import { temporaryFolder } from '../support/homes.ts'

class Busy extends Error {
  override readonly name = 'Busy'
  readonly code = 'BANK_BUSY'
}

const order = defineDag({ name: 'order', signals: { paid: z.unknown() } }, (d) => {
  const charged = d.step('charge', {}, async ({ idempotencyKey }) => ({ receipt: idempotencyKey }))
  const paid = d.signal('paid', { depends: [charged] })
  return { charged, paid }
})
const quick = defineDag({ name: 'quick' }, (d) => d.step('one', {}, async () => 7))
const broken = defineDag({ name: 'broken' }, (d) =>
  d.step('one', {}, async () => {
    throw new Busy('the bank is busy', { cause: new RangeError('no line') })
  })
)
const dags = [order, quick, broken]

describe('host › connectEngine', function () {
  this.timeout(30_000)

  async function connected(more: ConnectOptions = {}) {
    const home = temporaryFolder()
    const engine = await createEngine({ home, dags, clients: true })
    const client = connectEngine({ home, ...more })
    return {
      home,
      engine,
      client,
      async close() {
        client.close()
        await engine.close()
      }
    }
  }

  it('start, signal, events and result are those of the engine; who signals is kept', async () => {
    const { engine, client, close } = await connected()
    try {
      const run = await client.start(order, {}, { dagRunId: 'o-1' })
      expect(engine.record(run)?.trigger).to.deep.equal({ type: 'host' })
      const result = run.result()
      await run.signal('paid', { cents: 3 }, { by: 'the bänk' })
      const { charged, paid } = await result
      expect(charged.receipt).to.equal('order/o-1/charge/0')
      expect(paid).to.deep.include({ payload: { cents: 3 }, by: 'the bänk' })
      const seen: EngineEvent[] = []
      for await (const event of run.events({ after: 2 })) seen.push(event)
      const kept = engine
        .journal(run, 2, 1_000)
        .map(({ seq, to, actor, at, status }) => ({ seq, to, actor, at, status }))
      expect(seen.map(({ seq, to, actor, at, status }) => ({ seq, to, actor, at, status }))).to.deep.equal(kept)
      expect(await client.handle(order, 'o-1').result()).to.deep.equal(await engine.handle(order, 'o-1').result())
    } finally {
      await close()
    }
  })
  it('events come as they happen, and end with the run', async () => {
    const { client, close } = await connected()
    try {
      const run = await client.start(order, {})
      const ends: string[] = []
      for await (const { actor, to } of run.events()) {
        if (actor.endsWith('/node/paid') && to === 'awaiting') await run.signal('paid', null)
        ends.push(to)
      }
      expect(ends.at(-1)).to.equal('succeeded')
    } finally {
      await close()
    }
  })
  it('a run that failed rejects with the step and what it has thrown, one that was stopped with who has stopped it', async () => {
    const { client, close } = await connected()
    try {
      const failed = await refused((await client.start(broken, {})).result())
      expect(failed).to.be.instanceOf(RunFailed)
      expect(failed).to.include({ step: 'one' })
      expect(failed.cause).to.include({ name: 'Busy', message: 'the bank is busy', code: 'BANK_BUSY' })
      expect((failed.cause as Error).cause).to.include({ name: 'RangeError', message: 'no line' })
      const run = await client.start(order, {})
      await run.stop({ by: 'anna' })
      const canceled = await refused(run.result())
      expect(canceled).to.be.instanceOf(RunCanceled)
      expect(canceled).to.include({ why: 'stop', by: 'anna', via: 'host' })
    } finally {
      await close()
    }
  })
  it('refusals are those of the engine', async () => {
    const { client, close } = await connected()
    try {
      const run = await client.start(order, {}, { dagRunId: 'same' })
      expect(await refused(client.start(order, {}, { dagRunId: 'same' }))).to.include({ code: 'already_exists' })
      expect(await refused(client.start(order, {}, { singleton: true }))).to.include({ code: 'already_running' })
      expect(await refused(client.start(order, {}, { queue: 7 } as never))).to.include({ code: 'bad_request' })
      expect(await refused(client.handle(order, 'nobody').result())).to.include({ code: 'not_found' })
      await run.signal('paid', 1, { id: 'once' })
      await run.signal('paid', 1, { id: 'once' })
      const given = await refused(run.signal('paid', 2))
      expect(given).to.be.instanceOf(SignalRefused)
      expect(await run.result()).to.have.property('paid')
      expect(await refused(client.signal({ name: 'order', step: 'paid' } as never, 1))).to.include({
        code: 'bad_request'
      })
      const none = await refused(client.signal({ name: 'order', dagRunId: 'same', step: 'none' }, 1))
      expect(none).to.be.instanceOf(SignalRefused).and.to.include({ code: 'not_found' })
      const late = await client.start(order, {})
      expect(await refused(late.result({ timeoutMs: 20 }))).to.be.instanceOf(WaitTimedOut)
      const reason = new Error('enough')
      expect(await refused(late.result({ signal: AbortSignal.abort(reason) }))).to.equal(reason)
      expect(await refused(client.start({ name: 'order' } as never, {}))).to.include({ code: 'bad_request' })
      const other = defineDag({ name: 'other' }, (d) => d.step('one', {}, async () => null))
      expect(await refused(client.start(other, {}))).to.include({ code: 'not_found' })
    } finally {
      await close()
    }
  })
  it('many results are waited for on one stream of events', async () => {
    const { engine, client, close } = await connected()
    try {
      const runs = await Promise.all(Array.from({ length: 80 }, () => client.start(quick, {})))
      expect(new Set(await Promise.all(runs.map((run) => run.result())))).to.deep.equal(new Set([7]))
      expect(engine.count('succeeded')).to.equal(80)
    } finally {
      await close()
    }
  })
  it('while there is no owner requests wait, and go on with the next one', async () => {
    const { home, engine, client, close } = await connected()
    const run = await client.start(order, {}, { dagRunId: 'goes-on' })
    const result = run.result()
    const followed = (async () => {
      const seqs: number[] = []
      for await (const { seq } of run.events()) seqs.push(seq)
      return seqs
    })()
    await engine.close()
    const started = client.start(quick, {}, { dagRunId: 'meanwhile' })
    const next = await createEngine({ home, dags, clients: true })
    try {
      expect(await (await started).result()).to.equal(7)
      await run.signal('paid', 1)
      expect((await result).paid.payload).to.equal(1)
      expect(await followed).to.deep.equal(next.journal(run, 0, 1_000).map(({ seq }) => seq))
    } finally {
      await next.close()
      await close()
    }
  })
  it('waitForOwner is how long: the refusal says whether an engine is there that takes no clients', async () => {
    const home = temporaryFolder()
    const client = connectEngine({ home, waitForOwner: 30 })
    expect((await refused(client.start(quick, {}))).message).to.equal(
      `no engine has answered at ${home} in 30 ms: no process has it open`
    )
    const engine = await createEngine({ home, dags })
    try {
      expect(await refused(client.start(quick, {}))).to.deep.include({ code: 'service_unavailable' })
      expect((await refused(client.start(quick, {}))).message).to.match(
        /: process \d+ owns it, and has no socket: it is about to end, or was opened without createEngine\(\{ clients: true \}\)$/
      )
    } finally {
      await engine.close()
    }
  })
  it('result and events wait for the next owner no longer than that', async () => {
    const { engine, client, close } = await connected({ waitForOwner: 60 })
    try {
      const run = await client.start(order, {})
      const waits = [
        refused(run.result()),
        refused(
          (async () => {
            for await (const _event of run.events());
          })()
        )
      ]
      await engine.close()
      for (const error of await Promise.all(waits)) {
        expect(error).to.include({ code: 'service_unavailable' })
        expect(error.message).to.match(/^no engine has answered at .* in 60 ms: /)
      }
    } finally {
      await close()
    }
  })
  it('what was carried out, and whose answer was lost, is asked for again, and done once', async () => {
    const { engine, close } = await connected()
    const flows = nodeHandler(engine, {
      prefix: '/flows',
      authorize: () => ({ name: 'shop', permissions: ['read', 'run'] })
    })
    const lost: string[] = []
    const server = createServer((req, res) => {
      const [what = ''] = /(start|signal|stop)$/.exec(req.url ?? '') ?? []
      if (what !== '' && !lost.includes(what)) {
        lost.push(what)
        res.end = () => res.destroy()
      }
      flows(req, res)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const client = connectEngine({ url: `http://127.0.0.1:${port}/flows/api/v2` })
    try {
      const run = await client.start(order, {}, { dagRunId: 'mine', singleton: true })
      expect(lost).to.deep.equal(['start'])
      await run.signal('paid', 1)
      expect((await run.result()).paid.payload).to.equal(1)
      const stopped = await client.start(order, {})
      await stopped.stop()
      expect(lost).to.deep.equal(['start', 'signal', 'stop'])
      expect(await refused(stopped.result())).to.be.instanceOf(RunCanceled)
      expect(engine.runs({ name: 'order' })).to.have.length(2)
      expect(await refused(client.start(order, {}, { dagRunId: 'mine' }))).to.include({ code: 'already_exists' })
    } finally {
      client.close()
      await close()
      server.close()
    }
  })
  it('close ends what is waited for', async () => {
    const { client, close } = await connected()
    try {
      const run = await client.start(order, {})
      const waits = Promise.all([
        refused(run.result()),
        refused(
          (async () => {
            for await (const _event of run.events());
          })()
        )
      ])
      client.close()
      for (const error of await waits)
        expect(error).to.include({ code: 'service_unavailable', message: 'this client has been closed' })
      expect(await refused(client.start(order, {}))).to.include({ code: 'service_unavailable' })
    } finally {
      await close()
    }
  })
  it('url: the same over the API of a server, as the caller whom the token is of', async () => {
    const { engine, close } = await connected()
    const authorize = ({ headers }: Request) =>
      headers.get('authorization') === 'Bearer good' ? { name: 'shop', permissions: ['read', 'run'] as const } : null
    const server = createServer(nodeHandler(engine, { prefix: '/flows', authorize }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/flows/api/v2`
    const client = connectEngine({ url, token: 'good' })
    try {
      const run = await client.start(order, {})
      expect(engine.record(run)?.trigger).to.include({ type: 'api', by: 'shop' })
      const result = run.result()
      expect(await refused(run.signal('paid', 1, { by: 'anna' }))).to.include({ code: 'bad_request' })
      await run.signal('paid', 1)
      expect((await result).paid).to.include({ by: 'shop', payload: 1 })
      expect(await refused(connectEngine({ url, token: 'bad' }).start(order, {}))).to.include({ code: 'unauthorized' })
    } finally {
      client.close()
      await close()
      server.close()
    }
  })
  for (const [wrong, said] of [
    [{ hom: '/x' }, 'options: unknown option hom; did you mean home?'],
    [{ url: 'ftp://x' }, /^options: url: wanted an http or https URL/],
    [
      { url: 'http://127.0.0.1:1', home: '/x' },
      'url: wanted without home, config and dataDir, which are of this machine'
    ],
    [{ home: '/x', token: 'a' }, /^token: wanted with url/],
    [{ home: '/x', waitForOwner: 'soon' }, /^options: waitForOwner: wanted a duration/]
  ] as [ConnectOptions, string | RegExp][])
    it(`options are checked at once: ${JSON.stringify(wrong)}`, () => {
      expect(() => connectEngine(wrong)).to.throw(TroupeError, said)
    })
})
