/** Events of runs reach real receivers, whatever these do. Source: docs/notifications.md. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { accepts, closeReceivers, type Receiver, receiver, type Told } from '../../support/engine/receiver.ts'
import { freePort } from '../../support/free-port.ts'
import { eventually } from '../../support/waiting.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const engines: Engine[] = []
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
  await closeReceivers()
})

async function engineWith(notify: object[], settings: Record<string, unknown> = {}): Promise<Engine> {
  const engine = await createEngine({ temporary: true, settings: { ...settings, notify } })
  engines.push(engine)
  return engine
}
const targetOf = ({ url }: { url: string }, more: object = {}) => ({
  url,
  events: ['run.*', 'step.*'],
  secret: SECRET,
  ...more
})
const told = (one: Receiver, count: number) =>
  eventually(`${count} events`, () => (one.told.length >= count ? one.told : undefined))
async function ended(engine: Engine, spec: string, more: object = {}) {
  const key = await engine.start({ spec, ...more })
  await engine.result(key)
  return key
}

describe('notify › what a receiver is told', () => {
  it('the begin and the end of a run, as CloudEvents that are signed', async () => {
    const hook = await receiver()
    const engine = await engineWith([targetOf(hook, { name: 'ops' })], {
      'server.publicUrl': 'https://troupe.example.com/eng'
    })
    const key = await ended(
      engine,
      'name: etl\ngroup: nightly\ntags: [etl, big]\nsteps:\n  - {name: load, command: "false"}\n'
    )
    const all = await told(hook, 3)
    expect(hook.types().sort()).to.deep.equal(['run.failed', 'run.started', 'step.failed'])
    const failed = all.find(({ event }) => event.type === 'troupe.run.failed.v1')
    const { data, time, id, ...event } = failed?.event ?? ({ data: {} } as never)
    expect(event).to.deep.equal({
      specversion: '1.0',
      source: 'https://troupe.example.com/eng',
      type: 'troupe.run.failed.v1',
      subject: `etl/${key.dagRunId}`,
      datacontenttype: 'application/json'
    })
    const { createdAt, startedAt, finishedAt, failedSteps, ...rest } = data
    expect(rest).to.deep.equal({
      name: 'etl',
      dagRunId: key.dagRunId,
      status: 'failed',
      attempt: 1,
      group: 'nightly',
      tags: ['etl', 'big'],
      trigger: { type: 'host' },
      url: `https://troupe.example.com/eng/#/runs/etl/${key.dagRunId}`
    })
    expect((failedSteps as { name: string; error: string }[]).map(({ name }) => name)).to.deep.equal(['load'])
    for (const at of [time, createdAt, startedAt, finishedAt]) expect(at).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const { headers, body } = failed ?? { headers: {} as Told['headers'], body: '' }
    expect(headers).to.include({ 'content-type': 'application/cloudevents+json; charset=utf-8', 'webhook-id': id })
    const signature = createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
      .update(`${id}.${headers['webhook-timestamp']}.${body}`)
      .digest('base64')
    expect(headers['webhook-signature']).to.equal(`v1,${signature}`)
    expect(Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))).to.be.lessThan(60)
  })

  it('each of several secrets signs, so that one can be replaced; headers of the target are sent', async () => {
    const hook = await receiver()
    const secrets = ['the secret of yesterday', 'the secret of today']
    const engine = await engineWith([targetOf(hook, { secret: secrets, headers: { Authorization: 'Bearer x' } })])
    await ended(engine, 'name: a\nsteps: [echo]\n')
    const [first] = await told(hook, 2)
    expect(first?.headers.authorization).to.equal('Bearer x')
    const signed = `${first?.headers['webhook-id']}.${first?.headers['webhook-timestamp']}.${first?.body}`
    expect(first?.headers['webhook-signature']).to.equal(
      secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`).join(' ')
    )
  })

  it('a target hears of what it wants: events, definitions, groups, tags; of sub DAG runs and params only if it says so', async () => {
    const [ends, etl, tagged, all] = await Promise.all([receiver(), receiver(), receiver(), receiver()])
    const engine = await engineWith([
      targetOf(ends, { name: 'ends', events: ['run.succeeded', 'run.failed'] }),
      targetOf(etl, { name: 'etl', events: 'run.succeeded', dags: ['etl-*'], groups: 'nightly' }),
      targetOf(tagged, { name: 'tagged', events: 'run.succeeded', tags: ['BIG'] }),
      targetOf(all, { name: 'all', events: 'run.succeeded', subRuns: true, params: true })
    ])
    await ended(engine, 'name: etl-a\ngroup: nightly\nparams: [DAY=monday]\nsteps: [echo]\n')
    await ended(engine, 'name: etl-b\ntags: [big]\nsteps: [echo]\n')
    await ended(engine, 'name: parent\nsteps:\n  - {name: call, call: child}\n---\nname: child\nsteps: [echo]\n')
    await told(all, 4)
    await told(ends, 3)
    const names = ({ told }: Receiver) => told.map(({ event }) => event.data.name).sort()
    expect([ends, etl, tagged, all].map(names)).to.deep.equal([
      ['etl-a', 'etl-b', 'parent'],
      ['etl-a'],
      ['etl-b'],
      ['child', 'etl-a', 'etl-b', 'parent']
    ])
    const dataOf = (name: string, one = all) => one.told.find(({ event }) => event.data.name === name)?.event.data
    expect(dataOf('etl-a')?.params).to.deep.equal([{ name: 'DAY', value: 'monday' }])
    expect(dataOf('etl-a', ends)).not.to.have.property('params')
    expect(dataOf('child')).to.have.nested.property('root.name', 'parent')
    const idOf = (one: Receiver) => one.told.find(({ event }) => event.data.name === 'etl-a')?.event.id
    expect(idOf(all), 'one event has one id, whoever is told').to.equal(idOf(ends))
  })

  it('a run that waits in its queue, a step that waits for an approval, one that is tried again', async () => {
    const hook = await receiver()
    const queues = { 'queues.config': [{ name: 'one', maxConcurrency: 1 }] }
    const engine = await engineWith([targetOf(hook, { events: '*' })], queues)
    const spec = 'name: ask\nsteps:\n  - {name: ok, executor: {type: approval, config: {ask: "go on?"}}}\n'
    const first = await engine.enqueue({ spec, queue: 'one' })
    await eventually('a step that waits', () => (hook.types().includes('run.waiting') ? true : undefined))
    const second = await engine.enqueue({ spec, queue: 'one' })
    const { event: queued } = await eventually('a run that waits', () =>
      hook.told.find(({ event }) => event.type === 'troupe.run.queued.v1' && event.data.dagRunId === second.dagRunId)
    )
    expect(queued.data.status).to.equal('queued')
    await engine.signal({ ...first, step: 'ok' }, { approved: true })
    await engine.result(first)
    await eventually('the second one', () => (engine.waiting({ dag: 'ask' }).length > 0 ? true : undefined))
    await engine.stop(second)
    await engine.result(second)
    await ended(engine, 'name: again\nsteps:\n  - {command: "false", retryPolicy: {limit: 1, intervalSec: 0}}\n')
    const all = [
      'run.canceled',
      'run.failed',
      'run.queued',
      'run.started',
      'run.succeeded',
      'run.waiting',
      'step.failed',
      'step.retried'
    ]
    // They come in any order.
    await eventually('all events', () => all.every((type) => hook.types().includes(type)) || undefined)
    const waiting = hook.told.find(({ event }) => event.type === 'troupe.run.waiting.v1')?.event.data
    expect(waiting).to.have.nested.property('step.name', 'ok')
    expect(waiting).to.have.nested.property('step.type', 'approval')
  })

  it('values of secrets are masked', async () => {
    const hook = await receiver()
    process.env.HOOKS_TEST_SECRET = 'not-for-others'
    try {
      const engine = await engineWith([targetOf(hook, { params: true })])
      await ended(
        engine,
        'name: masked\nsecrets: [{name: KEY, provider: env, key: HOOKS_TEST_SECRET}]\nparams: [WORD=not-for-others]\nsteps: [{name: a, command: "exit 3"}]\n'
      )
    } finally {
      delete process.env.HOOKS_TEST_SECRET
    }
    await told(hook, 3)
    for (const { body, event } of hook.told.filter(({ event }) => event.type !== 'troupe.run.started.v1'))
      expect(body, event.type).not.to.contain('not-for-others')
  })

  it('an event of a run that is traced carries its place in the trace', async () => {
    const hook = await receiver()
    const engine = await engineWith([targetOf(hook, { events: 'run.succeeded' })])
    await ended(
      engine,
      `name: traced\notel: {enabled: true, endpoint: "http://127.0.0.1:${await freePort()}/v1/traces"}\nsteps: [echo]\n`
    )
    const [first] = await told(hook, 1)
    expect(first?.event.traceparent).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })
})

describe('notify › what receivers do', () => {
  it('slow, failing, gone, hanging, closing, redirecting, talkative: each is answered by its rule, and none holds up another', async () => {
    const elsewhere = await receiver()
    const behaviours: Record<string, Parameters<typeof receiver>[0]> = {
      good: accepts,
      slow: (_, response) => void setTimeout(() => response.writeHead(200).end('ok'), 1_000),
      failing: (_, response) => void response.writeHead(500).end('no'),
      busy: (_, response) => void response.writeHead(503, { 'Retry-After': '3600' }).end(),
      gone: (_, response) => void response.writeHead(410).end(),
      hanging: () => {},
      closing: (request) => void request.socket.destroy(),
      redirecting: (_, response) => void response.writeHead(307, { Location: elsewhere.url }).end(),
      talkative: (_, response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      }
    }
    const hooks = await Promise.all(
      Object.entries(behaviours).map(async ([name, answer]) => ({ name, hook: await receiver(answer) }))
    )
    const nobody = { name: 'nobody', url: `http://127.0.0.1:${await freePort()}/` }
    const more = { events: 'run.succeeded', timeout: '1500ms' }
    const engine = await engineWith([
      ...hooks.map(({ name, hook }) => targetOf(hook, { name, ...more })),
      targetOf(nobody, { ...nobody, ...more })
    ])
    const key = await ended(engine, 'name: a\nsteps: [echo]\n')
    const failedBy = () => Object.fromEntries(engine.deliveries({}, 100).deliveries.map((one) => [one.target, one]))
    const found = await eventually('all answers', () => {
      const known = failedBy()
      return Object.values(known).every(({ error }) => error) && Object.keys(known).length === 7 ? known : undefined
    })
    const standing = Object.entries(found).map(([name, { state, error, attempts, run }]) => {
      expect(run).to.deep.equal({ name: key.name, dagRunId: key.dagRunId })
      return [name, state, attempts, error]
    })
    expect(standing.sort()).to.deep.equal([
      ['busy', 'waiting', 1, 'it answered 503'],
      ['closing', 'waiting', 1, 'the connection was closed without an answer'],
      ['failing', 'waiting', 1, 'it answered 500'],
      ['gone', 'dead', 1, 'it answered 410'],
      ['hanging', 'waiting', 1, 'no answer within 1.5 s'],
      ['nobody', 'waiting', 1, 'it refuses connections (ECONNREFUSED)'],
      ['redirecting', 'waiting', 1, 'it answered 307 (a redirect is not followed)']
    ])
    const { busy } = found
    expect((busy?.dueAt ?? 0) - (busy?.triedAt ?? 0), 'Retry-After').to.be.closeTo(3_600_000, 1_000)
    expect(elsewhere.told, 'a redirect is not followed').to.deep.equal([])
    for (const { name, counts } of engine.targets())
      expect(counts?.delivered, name).to.equal(['good', 'slow', 'talkative'].includes(name) ? 1 : 0)
  })

  it('what was not accepted is sent again, with the same id and a new time, until it is', async () => {
    let count = 0
    const hook = await receiver((_, response) => void response.writeHead(++count < 2 ? 500 : 202).end())
    const engine = await engineWith([targetOf(hook, { events: 'run.succeeded' })])
    await ended(engine, 'name: a\nsteps: [echo]\n')
    const [first, second] = await told(hook, 2)
    expect(second?.event.id).to.equal(first?.event.id)
    expect(second?.body).to.equal(first?.body)
    expect(Number(second?.headers['webhook-timestamp'])).to.be.greaterThan(Number(first?.headers['webhook-timestamp']))
    await eventually('nothing that waits', () => (engine.deliveries({}, 1).deliveries.length === 0 ? true : undefined))
  })

  it('dead letters are tried again when somebody asks, one or all, and can be removed', async () => {
    const hook = await receiver((_, response) => void response.writeHead(410).end())
    const engine = await engineWith([targetOf(hook, { name: 'ops', events: 'run.succeeded' })])
    for (const _ of [1, 2, 3]) await ended(engine, 'name: a\nsteps: [echo]\n')
    const dead = () => engine.deliveries({ state: 'dead' }, 10).deliveries
    await eventually('three dead letters', () => (dead().length === 3 ? true : undefined))
    const [first] = dead()
    expect(await engine.removeDeliveries('ops', first?.id)).to.equal(1)
    hook.answers(accepts)
    expect(await engine.retryDeliveries('ops')).to.equal(2)
    await told(hook, 5)
    await eventually('no dead letters', () => (engine.deliveries({}, 10).deliveries.length === 0 ? true : undefined))
    const refusal = (work: Promise<unknown>) =>
      work.then(
        () => '',
        ({ code, message }) => `${code}: ${message}`
      )
    expect(await refusal(engine.retryDeliveries('nobody'))).to.equal('not_found: notify has no target named nobody')
    expect(await refusal(engine.removeDeliveries('ops', first?.id))).to.equal(
      `not_found: there is no dead letter ${first?.id} for ops`
    )
  })

  it('without targets nothing of it is loaded, and nothing is stored', async () => {
    const engine = await engineWith([])
    await ended(engine, 'name: a\nsteps: [echo]\n')
    expect([engine.targets(), engine.deliveries({}, 10)]).to.deep.equal([[], { deliveries: [] }])
  })
})
