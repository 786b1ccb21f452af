/** Options of an engine about its home: it waits for one, and has others use it. Source: docs/embedding/several-processes.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { socketPath } from '../../src/api/owner/socket-path.ts'
import { connectToOwner } from '../../src/cli/owner/client.ts'
import { systemClock } from '../../src/clock.ts'
import { connectEngine, createEngine, defineDag, type EngineOptions } from '../../src/index.ts'
import { refused } from '../support/engine/refusals.ts'
import { temporaryFolder } from '../support/homes.ts'

const order = defineDag({ name: 'order', signals: { paid: z.unknown() } }, (d) => {
  const charged = d.step('charge', {}, async ({ idempotencyKey }) => ({ receipt: idempotencyKey }))
  const paid = d.signal('paid', { depends: [charged] })
  return { charged, paid }
})
const quick = defineDag({ name: 'quick' }, (d) => d.step('one', {}, async () => 7))
const dags = [order, quick]

describe('host › createEngine › waitForHome', function () {
  this.timeout(30_000)

  it('takes over when the owner has closed; without it the home is refused at once', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home, dags })
    expect(await refused(createEngine({ home }))).to.include({ code: 'service_unavailable' })
    const waiting = createEngine({ home, dags, waitForHome: true })
    const run = await first.start(order, {}, { dagRunId: 'a' })
    await first.close()
    const second = await waiting
    try {
      await second.handle(order, run.dagRunId).signal('paid', 3)
      expect((await second.handle(order, 'a').result()).charged).to.deep.equal({ receipt: 'order/a/charge/0' })
    } finally {
      await second.close()
    }
  })
  it('when the time is over, the refusal says who owns the home and how long it was waited for', async () => {
    const home = temporaryFolder()
    const owner = await createEngine({ home })
    try {
      const error = await refused(createEngine({ home, waitForHome: '50ms' }))
      expect(error.message).to.match(
        /^this home is in use by the engine with process id \d+.*; waitForHome: 50ms is over$/
      )
      expect(error).to.deep.include({ code: 'service_unavailable', details: { owner: process.pid } })
    } finally {
      await owner.close()
    }
  })
  it('signal ends the wait with its reason', async () => {
    const home = temporaryFolder()
    const owner = await createEngine({ home })
    try {
      const reason = new Error('enough')
      const leaving = new AbortController()
      const asked = refused(createEngine({ home, waitForHome: '1h', signal: leaving.signal }))
      leaving.abort(reason)
      expect(await asked).to.equal(reason)
    } finally {
      await owner.close()
    }
  })
  for (const [title, wrong, said] of [
    ['a text that is none', { waitForHome: 'soon' }, /^waitForHome: wanted a duration such as 90s/],
    ['nothing', { waitForHome: 0 }, /^waitForHome: wanted/],
    ['readOnly', { waitForHome: true, readOnly: true }, /waitForHome: wanted none with readOnly/],
    ['temporary', { waitForHome: true, temporary: true }, /waitForHome: wanted none with temporary/],
    ['a signal without it', { signal: new AbortController().signal }, /signal: wanted with waitForHome/],
    ['another option that is wrong', { waitForHome: '1h', dags: [1] }, /dags\[0\]: wanted what defineDag returns/],
    ['clients of a reader', { clients: true, readOnly: true }, /clients: wanted none with readOnly/]
  ] as [string, object, RegExp][])
    it(`options are checked before the wait: ${title}`, async () => {
      const home = 'temporary' in wrong ? {} : { home: temporaryFolder() }
      expect((await refused(createEngine({ ...home, ...(wrong as EngineOptions) }))).message).to.match(said)
    })
})

describe('host › createEngine › clients', () => {
  it('the commands of troupe use it, too; without the option there is no socket', async () => {
    const home = temporaryFolder()
    const alone = await createEngine({ home, dags })
    const path = await socketPath(alone.config.dataDir)
    expect(await connectToOwner(path, systemClock)).to.equal(undefined)
    await alone.close()
    const engine = await createEngine({ home, dags, clients: true })
    const command = await connectToOwner(path, systemClock)
    try {
      expect(command?.home).to.equal(home)
      const started = await command?.api.startDag({ path: { fileName: 'quick' } })
      expect(await engine.handle(quick, started?.dagRunId ?? '').result()).to.equal(7)
    } finally {
      await command?.close()
      await engine.close()
    }
    expect(await connectToOwner(path, systemClock)).to.equal(undefined)
  })
  it('a refused close leaves the socket', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, dags, clients: true })
    const client = connectEngine({ home })
    try {
      expect(await refused(engine.close({ runs: 'all' } as never))).to.include({ code: 'bad_request' })
      expect(await (await client.start(quick, {})).result()).to.equal(7)
    } finally {
      client.close()
      await engine.close()
    }
  })
})
