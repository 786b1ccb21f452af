/** What a bus does and does not promise, of the simulated one and of NATS alike. Source: distribution 3, 7, 11. */
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Broker, guardBroker } from '../../src/bus/broker.ts'
import { type Bus, type Heard, Unanswered } from '../../src/bus/bus.ts'
import { openNatsBus } from '../../src/bus/nats.ts'
import { systemClock } from '../../src/clock.ts'
import { silent } from '../../src/log.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats, ready } from '../support/nats.ts'
import { simulatedNet } from '../support/simulated/bus.ts'
import { eventually } from '../support/waiting.ts'

/** Two ends of one bus. */
interface Ends {
  near: Bus
  far: Bus
}

function contract(ends: () => Ends): void {
  it('answers a question, with what the side that hears the subject says', async () => {
    const { near, far } = ends()
    far.hear('trp.t.up.*.hello', ({ subject, text, answer }) => answer(`${subject}: ${text}`))
    await ready(far)
    const answer = await near.ask('trp.t.up.a1.hello', 'grüße', 2_000)
    expect(answer).to.equal('trp.t.up.a1.hello: grüße')
  })
  it('an answer with bytes brings them as they are, to whoever asks for them', async () => {
    const { near, far } = ends()
    const bytes = Buffer.from(Array.from({ length: 262_144 }, (_, at) => at % 256))
    far.hear('trp.t.bytes', ({ text, answer }) => (text === 'all' ? answer('{"size":7}', bytes) : answer('none')))
    await ready(far)
    const { text, data } = await near.askForData('trp.t.bytes', 'all', 2_000)
    expect([text, data?.equals(bytes)]).to.deep.equal(['{"size":7}', true])
    expect(await near.askForData('trp.t.bytes', 'no', 2_000)).to.deep.equal({ text: 'none' })
  })
  it('a question that nobody hears, or answers, is unanswered', async () => {
    const { near, far } = ends()
    const told: string[] = []
    far.hear('trp.t.quiet', ({ text }) => told.push(text))
    await ready(far)
    for (const subject of ['trp.t.nobody', 'trp.t.quiet']) {
      const error = await near.ask(subject, 'x', 300).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(Unanswered)
    }
    expect(told).to.deep.equal(['x'])
  })
  it('what is told reaches all who hear it, until they no longer do', async () => {
    const { near, far } = ends()
    const told: string[] = []
    const end = far.hear('trp.t.engine', ({ text }) => told.push(`far ${text}`))
    near.hear('trp.t.engine', ({ text }) => told.push(`near ${text}`))
    await Promise.all([ready(far), ready(near)])
    near.tell('trp.t.engine', '1')
    await eventually('both', () => (told.length === 2 ? true : undefined))
    end()
    await ready(far)
    near.tell('trp.t.engine', '2')
    await eventually('the near one', () => (told.length === 3 ? true : undefined))
    expect(told.sort()).to.deep.equal(['far 1', 'near 1', 'near 2'])
  })
  it('a wildcard is one word', async () => {
    const { near, far } = ends()
    const told: string[] = []
    far.hear('trp.t.up.*.beat', ({ subject }: Heard) => told.push(subject))
    await ready(far)
    for (const subject of ['trp.t.up.a.b.beat', 'trp.t.up.beat', 'trp.t.up.a.beats', 'trp.t.up.a.beat'])
      near.tell(subject, '')
    await eventually('one', () => (told.length > 0 ? true : undefined))
    expect(told).to.deep.equal(['trp.t.up.a.beat'])
  })
}

describe('bus › simulated', () => {
  let ends: Ends
  beforeEach(() => {
    const net = simulatedNet(systemClock)
    ends = { near: net.open('near'), far: net.open('far') }
  })
  contract(() => ends)

  it('loses, doubles and delays by its seed, and cuts', async () => {
    const late: [ms: number, ring: () => void][] = []
    const after = (ms: number, ring: () => void) => {
      late.push([ms, ring])
      return () => {}
    }
    const net = simulatedNet({ after }, 7)
    const [a, b] = [net.open('a'), net.open('b')]
    const told: string[] = []
    const states: string[] = []
    b.hear('x', ({ text }) => told.push(text))
    b.onState((state) => states.push(state))
    net.weather({ lost: 0.2, doubled: 0.2, lateMs: 90_000 })
    for (let n = 0; n < 1_000; n++) a.tell('x', `${n}`)
    for (const [, ring] of late.splice(0).sort(([one], [other]) => one - other)) ring()
    const kinds = new Set(told)
    expect(kinds.size).to.be.within(700, 900)
    expect(told.length).to.be.greaterThan(kinds.size)
    expect(told).not.to.deep.equal([...told].sort((one, other) => Number(one) - Number(other)))
    net.cut('b', true)
    net.weather({})
    a.tell('x', 'unheard')
    for (const [, ring] of late.splice(0)) ring()
    net.cut('b', false)
    expect([told.includes('unheard'), states, b.state]).to.deep.equal([false, ['away', 'connected'], 'connected'])
  })
})

describe('bus › NATS', () => {
  needsNats()
  let ends: Ends
  let broker: Broker
  let port: number
  let folder: string
  const open = (name: string) =>
    openNatsBus({ servers: [`127.0.0.1:${port}`], name, inbox: `trp.t.inbox.${name}`, clock: systemClock })
  before(async function () {
    this.timeout(20_000)
    port = await freePort()
    folder = join(temporaryFolder(), 'broker')
    const place = { host: '127.0.0.1', port, cluster: 't', token: '', advertise: 'here' }
    const { PATH = '' } = process.env
    broker = await guardBroker({
      ...place,
      folder,
      registry: join(folder, '..', 'registry'),
      enrolmentFile: join(folder, '..', 'enrolled.json'),
      environment: { PATH },
      clock: systemClock,
      log: silent
    })
    ends = { near: open('near'), far: open('far') }
    await eventually('both connected', () =>
      ends.near.state === 'connected' && ends.far.state === 'connected' ? true : undefined
    )
  })
  after(async () => {
    await Promise.all([ends?.near.close(), ends?.far.close()])
    await broker?.close()
  })
  contract(() => ends)

  it('kill -9 of the broker and the loss of its folder: all are back within seconds, and hear what they heard', async function () {
    this.timeout(30_000)
    const { near, far } = ends
    const states: string[] = []
    const end = near.onState((state) => states.push(state))
    const told: string[] = []
    far.hear('trp.t.after', ({ text }) => told.push(text))
    const pid = Number(await readFile(join(folder, 'nats.pid'), 'utf8'))
    process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    await eventually('both noticed', () => (states.includes('away') && far.state === 'away' ? true : undefined), 10_000)
    await eventually(
      'both are back',
      () => (near.state === 'connected' && far.state === 'connected' ? true : undefined),
      10_000
    )
    await ready(far)
    near.tell('trp.t.after', 'back')
    await eventually('it is heard', () => (told.length > 0 ? true : undefined), 5_000)
    expect([states, told]).to.deep.equal([['away', 'connected'], ['back']])
    end()
  })
})
