/** Keys of workers at a real server: each speaks as itself only, and a revoked one is cut off. Source: distribution 1 (D12), 6 (keys). */
import { join } from 'node:path'
import { expect } from 'chai'
import { coordinatorIn } from '../../src/bus/address-file.ts'
import { type Broker, guardBroker } from '../../src/bus/broker.ts'
import { type Bus, Unanswered } from '../../src/bus/bus.ts'
import { changeEnrolment, type Enrolled } from '../../src/bus/enrolment.ts'
import { newKey } from '../../src/bus/key-file.ts'
import { openNatsBus } from '../../src/bus/nats.ts'
import { systemClock } from '../../src/clock.ts'
import { silent } from '../../src/log.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats, ready } from '../support/nats.ts'
import { eventually } from '../support/waiting.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']

describe('bus › keys of workers', function () {
  this.timeout(30_000)
  needsNats()
  let home: string
  let port: number
  let broker: Broker
  const opened: Bus[] = []
  const seeds = new Map<string, string>()
  const list = () => join(home, 'enrolled.json')
  const registry = () => join(home, 'registry')
  const guard = () =>
    guardBroker({
      host: '127.0.0.1',
      port,
      cluster: 't',
      token: '',
      advertise: 'here',
      folder: join(home, 'broker'),
      registry: registry(),
      enrolmentFile: list(),
      clock: systemClock,
      log: silent,
      environment: { PATH: process.env.PATH ?? '' }
    })
  const takenUp = (revision: number) =>
    eventually(
      'it is taken up',
      () => ((coordinatorIn(registry())?.enrolment ?? 0) >= revision ? true : undefined),
      8_000
    )
  async function enroll(id: string, of: string) {
    const { seed, publicKey } = await newKey()
    seeds.set(of, seed)
    const one: Enrolled = { id, home: of, publicKey, enrolledAt: 1 }
    return changeEnrolment(list(), Date.now(), (workers) => [...workers.filter((other) => other.id !== id), one])
      .revision
  }
  function open(name: string, given: object) {
    const bus = openNatsBus({
      servers: [`127.0.0.1:${port}`],
      name,
      inbox: `trp.t.inbox.${name}`,
      clock: systemClock,
      ...given
    })
    opened.push(bus)
    return bus
  }
  const worker = (of: string) => open(of, { seed: seeds.get(of) })
  const engine = () => open('engine', { user: 'engine', password: coordinatorIn(registry())?.password })
  const connected = (bus: Bus) => eventually('connected', () => (bus.state === 'connected' ? true : undefined), 8_000)

  beforeEach(async () => {
    home = temporaryFolder()
    port = await freePort()
    await enroll('wa', A)
    await enroll('wb', B)
    broker = await guard()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()))
    await broker.close()
  })

  it('a worker can speak as itself only, read its own tasks only, and answer what it was asked', async () => {
    const [boss, a, b] = [engine(), worker(A), worker(B)]
    await Promise.all([boss, a, b].map(connected))
    const [atBoss, atA]: [string[], string[]] = [[], []]
    boss.hear('trp.t.>', ({ subject, text, answer }) => {
      if (subject.endsWith('.beat')) answer(`heard ${text}`)
      if (!subject.includes('inbox')) atBoss.push(`${subject} ${text}`)
    })
    for (const subject of [`trp.t.down.${B}`, 'trp.t.up.*.*', `trp.t.inbox.${B}.>`, 'trp.t.inbox.engine.>', '>'])
      a.hear(subject, ({ subject: on, text }) => atA.push(`${on} ${text}`))
    a.hear(`trp.t.down.${A}`, ({ text, answer }) => answer(`done ${text}`))
    b.hear(`trp.t.down.${B}`, ({ answer }) => answer('b'))
    await ready(boss)
    expect(await a.ask(`trp.t.up.${A}.beat`, '1', 2_000)).to.equal('heard 1')
    expect(await b.ask(`trp.t.up.${B}.beat`, '2', 2_000)).to.equal('heard 2')
    expect(await boss.ask(`trp.t.down.${A}`, 'x', 2_000)).to.equal('done x')
    expect(await boss.ask(`trp.t.down.${B}`, 'y', 2_000)).to.equal('b')
    atBoss.length = 0
    for (const subject of [`trp.t.up.${B}.beat`, 'trp.t.engine', `trp.t.down.${B}`, `trp.t.inbox.${B}.x`, 'trp.u.up'])
      a.tell(subject, 'as another')
    const refused = await a.ask(`trp.t.up.${B}.hello`, '', 500).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Unanswered)
    expect(await a.ask(`trp.t.up.${A}.beat`, '3', 2_000)).to.equal('heard 3')
    expect([atBoss, atA]).to.deep.equal([[`trp.t.up.${A}.beat 3`], []])
  })
  it('without a key, or with an unknown one, nobody gets in, on loopback either', async () => {
    const { seed } = await newKey()
    const found = await Promise.all(
      [open('plain', {}), open('stranger', { seed })].map((bus) =>
        eventually('a refusal', () => bus.trouble || undefined)
      )
    )
    expect(found[0]).to.match(/^it refuses the credential: .*troupe worker enroll/)
    expect(found[1]).to.match(/^it refuses the key of worker\.keyFile: it was revoked/)
  })
  it('revoked: its connection is closed and others stay; enrolled again: it is back with its new key', async () => {
    const [boss, a, b] = [engine(), worker(A), worker(B)]
    await Promise.all([boss, a, b].map(connected))
    const states: string[] = []
    for (const [name, bus] of Object.entries({ boss, b })) bus.onState((state) => states.push(`${name} ${state}`))
    const { revision } = changeEnrolment(list(), Date.now(), (all) =>
      all.map((one) => (one.id === 'wa' ? { ...one, revokedAt: 2 } : one))
    )
    await takenUp(revision)
    await eventually('it is cut off', () => (a.state === 'away' ? true : undefined))
    await eventually('a refusal', () => (/refuses the key/.test(a.trouble) ? true : undefined))
    await takenUp(await enroll('wa', A))
    await connected(worker(A))
    expect(states).to.deep.equal([])
  })
  it('keys outlive restarts of the coordinator, the loss of its folder, and the revocation of the last one', async () => {
    await broker.close()
    changeEnrolment(list(), Date.now(), (all) => all.map((one) => ({ ...one, revokedAt: 2 })))
    broker = await guard()
    const [boss, plain, a] = [engine(), open('plain', {}), worker(A)]
    await connected(boss)
    for (const bus of [plain, a]) await eventually('a refusal', () => bus.trouble || undefined)
    expect([plain.state, a.state]).to.deep.equal(['away', 'away'])
  })
  it('the first key closes a coordinator that was open: whoever has none is cut off, the engine stays', async () => {
    await broker.close()
    home = temporaryFolder()
    broker = await guard()
    const [boss, plain] = [engine(), open('plain', {})]
    await Promise.all([boss, plain].map(connected))
    const states: string[] = []
    boss.onState((state) => states.push(state))
    await takenUp(await enroll('wa', A))
    await eventually('it is cut off', () => (plain.state === 'away' ? true : undefined))
    await connected(worker(A))
    expect(states).to.deep.equal([])
  })
})
