/** The guarded NATS server: who may do what there, and how it starts and ends. Source: distribution 0.4, 6 (token); api-semantics 7.2. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { coordinatorIn } from '../../src/bus/address-file.ts'
import { type GuardOptions, guardBroker } from '../../src/bus/broker.ts'
import { brokerConfig } from '../../src/bus/broker-config.ts'
import { type Bus, Unanswered } from '../../src/bus/bus.ts'
import { openNatsBus } from '../../src/bus/nats.ts'
import { systemClock } from '../../src/clock.ts'
import { silent } from '../../src/log.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats, ready } from '../support/nats.ts'
import { lives } from '../support/processes.ts'
import { eventually } from '../support/waiting.ts'

async function optionsOf(given: Partial<GuardOptions> = {}): Promise<GuardOptions> {
  const home = temporaryFolder()
  return {
    host: '127.0.0.1',
    port: await freePort(),
    cluster: 't',
    token: '',
    advertise: 'here',
    enrolmentFile: join(home, 'enrolled.json'),
    folder: join(home, 'broker'),
    registry: join(home, 'registry'),
    clock: systemClock,
    log: silent,
    environment: { PATH: process.env.PATH ?? '' },
    ...given
  }
}
const refusal = (options: GuardOptions) =>
  guardBroker(options).then(
    () => '',
    (error: Error) => error.message
  )

describe('bus › broker', () => {
  needsNats()
  const opened: Bus[] = []
  const open = ({ port }: GuardOptions, user: string, password: string) => {
    const bus = openNatsBus({
      servers: [`127.0.0.1:${port}`],
      name: user,
      inbox: `trp.t.inbox.${user}`,
      clock: systemClock,
      user,
      password
    })
    opened.push(bus)
    return bus
  }
  const connected = (bus: Bus) => eventually('connected', () => (bus.state === 'connected' ? true : undefined), 5_000)
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()))
  })

  it('with a token: workers say what workers say and answer what they are asked, the engine says everything; others do not connect', async function () {
    this.timeout(20_000)
    const options = await optionsOf({ token: 'se"s\\ame' })
    const broker = await guardBroker(options)
    try {
      const { password = '' } = coordinatorIn(options.registry) ?? {}
      const [engine, worker] = [open(options, 'engine', password), open(options, 'worker', 'se"s\\ame')]
      await Promise.all([connected(engine), connected(worker)])
      const told: string[] = []
      engine.hear('trp.t.up.*.beat', ({ text, answer }) => answer(`heard ${text}`))
      worker.hear('trp.t.engine', ({ text }) => told.push(text))
      worker.hear('trp.t.up.*.beat', ({ text }) => told.push(`overheard ${text}`))
      await ready(engine)
      expect(await worker.ask('trp.t.up.0123456789abcdef.beat', '1', 2_000)).to.equal('heard 1')
      worker.tell('trp.t.engine', 'I am the engine')
      engine.tell('trp.t.engine', 'so am I')
      await eventually('the engine is heard', () => (told.length > 0 ? true : undefined))
      expect(told).to.deep.equal(['so am I'])

      worker.hear('trp.t.down.0123456789abcdef', ({ text, answer }) => answer(`done ${text}`))
      await worker.ask('trp.t.up.0123456789abcdef.beat', '2', 2_000) // so it is heard by now
      expect(await engine.ask('trp.t.down.0123456789abcdef', 'this', 2_000)).to.equal('done this')

      const stranger = open(options, 'worker', 'guess')
      const trouble = await eventually('a refusal', () => stranger.trouble || undefined)
      expect(trouble).to.equal(
        'it refuses the credential: peer.token must be the same on both sides, or the worker needs a key (troupe worker enroll)'
      )
      expect(await stranger.ask('x', '', 100).catch((error: unknown) => error)).to.be.instanceOf(Unanswered)
    } finally {
      await broker.close()
    }
  })
  it('its files can be read by their user only, and are gone with it', async function () {
    this.timeout(20_000)
    const options = await optionsOf({ token: 'sesame' })
    const broker = await guardBroker(options)
    const files = [join(options.folder, 'nats.conf'), join(options.registry, 'coordinator.json')]
    for (const file of files) expect(statSync(file).mode & 0o777, file).to.equal(0o600)
    await broker.close()
    for (const file of files) expect(existsSync(file), file).to.equal(false)
  })
  it('a second coordinator of the home, or a port that is in use, is refused by name', async function () {
    this.timeout(20_000)
    const options = await optionsOf()
    const broker = await guardBroker(options)
    try {
      expect(await refusal({ ...options, port: await freePort() })).to.equal(
        `the coordinator of this home runs already: process id ${process.pid}, at 127.0.0.1:${options.port}`
      )
    } finally {
      await broker.close()
    }
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    expect(await refusal(await optionsOf({ port }))).to.match(/in use.*choose another port/)
    taken.close()
  })
  it('one that a killed guard left behind gives way to the next', async function () {
    this.timeout(20_000)
    const options = await optionsOf()
    const broker = await guardBroker(options)
    const config = join(options.folder, 'nats.conf')
    const text = readFileSync(config, 'utf8')
    await broker.close()
    mkdirSync(options.folder, { recursive: true })
    writeFileSync(config, text)
    const PATH = `${process.env.PATH}:/usr/sbin`
    const orphan = spawn('nats-server', ['-c', config], { env: { PATH }, stdio: 'ignore', detached: true })
    const pidFile = join(options.folder, 'nats.pid')
    await eventually('its pid', () => (statSync(pidFile, { throwIfNoEntry: false })?.size ? true : undefined))
    try {
      const next = await guardBroker(options)
      expect(lives(orphan.pid ?? 0)).to.equal(false)
      await next.close()
    } finally {
      orphan.kill('SIGKILL')
    }
  })
})

describe('bus › broker, without the program', () => {
  it('the error names what to install', async () => {
    const empty = temporaryFolder()
    const options = await optionsOf({ environment: { PATH: empty }, program: join(empty, 'nats-server') })
    expect(await refusal(options)).to.equal(
      'the broker does not start: nats-server is not installed; the coordinator needs it: apt-get install nats-server, or see https://nats.io'
    )
  })
  it('with certificates the configuration demands TLS, and of clients a certificate if an authority is named', () => {
    const tls = { certFile: '/c.pem', keyFile: '/k.pem' }
    const options = { host: '0.0.0.0', port: 1, cluster: 't', token: 'x' }
    const plain = brokerConfig({ ...options, tls }, 'p', '/pid')
    expect(plain).to.contain('tls { cert_file: "/c.pem", key_file: "/k.pem", timeout: 5 }')
    const both = brokerConfig({ ...options, tls: { ...tls, clientCaFile: '/ca.pem' } }, 'p', '/pid')
    expect(both).to.contain('ca_file: "/ca.pem", verify: true')
  })
})
