/** Ways to a real Docker engine, and how long a container of a run is waited for. Source: execution-semantics 10.2.1, 10.2.22. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine, reasonOf } from '../../../src/executors/docker/connection.ts'
import { type SharedContainer, sharedContainers } from '../../../src/executors/docker/shared-container.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('docker › engines', function () {
  this.timeout(30_000)
  const service = dockerService()
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })
  /** The engine behind a server. @returns its port */
  async function behind(make: (listener: (socket: Socket) => void) => Server): Promise<number> {
    const server = make((socket) => {
      const engine = connect(service.address.replace('unix://', ''))
      for (const one of [socket, engine]) one.on('error', () => void [socket, engine].map((each) => each.destroy()))
      socket.pipe(engine).pipe(socket)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const versionOf = async (environment: Record<string, string>) =>
    (await (await dockerEngine(temporaryFolder(), environment, systemClock).connect()).version()).ApiVersion

  it('10.2.1: DOCKER_HOST as a socket, and as tcp://', async () => {
    const port = await behind((listener) => createServer(listener))
    const found = await versionOf({ DOCKER_HOST: service.address })
    expect(found).to.match(/^\d+\.\d+$/)
    expect(await versionOf({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })).to.equal(found)
    expect(await versionOf({ DOCKER_HOST: `127.0.0.1:${port}` })).to.equal(found)
  })
  it('10.2.1: DOCKER_TLS_VERIFY and DOCKER_CERT_PATH: both sides show who they are', async () => {
    const [ours, theirs, strange] = [selfSigned('client'), selfSigned('engine'), selfSigned('strange')]
    const options = { ...theirs, ca: ours.cert, requestCert: true, rejectUnauthorized: true }
    const port = await behind((listener) => createTlsServer(options, listener))
    const environment = (ca: string, own: { cert: string; key: string }) => {
      const folder = join(temporaryFolder(), 'certs')
      mkdirSync(folder)
      for (const [name, pem] of Object.entries({ ca, cert: own.cert, key: own.key }))
        writeFileSync(join(folder, `${name}.pem`), pem)
      return { DOCKER_HOST: `tcp://127.0.0.1:${port}`, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder }
    }
    const failed = (settings: Record<string, string>) =>
      versionOf(settings).then(
        () => 'connected',
        ({ code }: { code: string }) => code
      )
    expect(await versionOf(environment(theirs.cert, ours))).to.match(/^\d+\.\d+$/)
    expect(await failed(environment(strange.cert, ours)), 'an engine that nobody vouches for').to.match(
      /SELF_SIGNED|UNABLE/
    )
    expect(await failed(environment(theirs.cert, strange)), 'a client that the engine does not know').to.match(
      /SSL|RESET/
    )
  })
  it('10.2.1: certificates that cannot be read are named, and looked for again with the next step', async () => {
    const folder = temporaryFolder()
    const environment = { DOCKER_HOST: 'tcp://127.0.0.1:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder }
    const engine = dockerEngine(folder, environment, systemClock)
    const said = () => engine.connect().then(() => 'connected', reasonOf)
    const missing = `${join(folder, 'ca.pem')} cannot be read: there is no such file`
    expect(await said()).to.equal(`DOCKER_CERT_PATH: wanted ca.pem, cert.pem and key.pem in it, ${missing}`)
    execFileSync('mkfifo', [join(folder, 'ca.pem')])
    const pipe = `${join(folder, 'ca.pem')} cannot be read: wanted a file, found a pipe`
    expect(await said()).to.equal(`DOCKER_CERT_PATH: wanted ca.pem, cert.pem and key.pem in it, ${pipe}`)
    rmSync(join(folder, 'ca.pem'))
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(folder, `${name}.pem`), '')
    expect(await said()).to.equal('connected')
  })
  describe('by ssh', () => {
    const sshd = liveSshd()
    const reason = (known: string | undefined) => {
      const home = temporaryFolder()
      mkdirSync(join(home, '.ssh'))
      if (known) copyFileSync(known, join(home, '.ssh', 'known_hosts'))
      const { user, host, port } = sshd.target
      return versionOf({ DOCKER_HOST: `ssh://${user}@${host}:${port}`, HOME: home }).then(() => 'connected', reasonOf)
    }
    it('10.2.1, 10.3.3: the machine must be known; then it is asked for a login', async () => {
      for (const known of [undefined, sshd.wrongKnownHosts])
        expect(await reason(known)).to.match(/^the machine of DOCKER_HOST shows a host key that .* does not have/)
      expect(await reason(sshd.target.knownHostFile)).to.match(/authentication/)
    })
  })
  it('10.2.22: 120 s to be ready, all together; then it is removed, and its log shown', async () => {
    const begun = performance.now()
    // A hundred times as fast as it is.
    const clock = { ...systemClock, elapsed: () => begun + (performance.now() - begun) * 100 }
    const engine = dockerEngine(temporaryFolder(), service.environment, clock)
    const wanted: SharedContainer = {
      container: {
        image: IMAGE,
        pull: 'never',
        env: [],
        volumes: [],
        ports: [],
        keepContainer: false,
        startup: 'command',
        command: ['sh', '-c', 'echo still; sleep 600'],
        waitFor: 'running',
        logPattern: 'ready',
        name: 'never-ready'
      },
      labels: { run: 'dag/never-ready' },
      base: '/',
      warn: () => {}
    }
    const error = await sharedContainers(engine, clock)
      .open(wanted, new AbortController().signal)
      .then(
        () => undefined,
        ({ message }: Error) => message
      )
    expect(error).to.equal(
      'the container was not ready (no line of its log matches ready) within 120 s\nlast lines of its log:\nstill'
    )
    expect(await service.labelled('troupe.run=dag/never-ready')).to.deep.equal([])
  })
})
