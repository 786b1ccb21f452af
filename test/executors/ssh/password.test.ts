/** Login by password, and a server that takes one session for each connection. Source: execution-semantics 10.3.2, 10.3.8. */
import { once } from 'node:events'
import { expect } from 'chai'
import ssh2, { type Connection, type Server, type ServerChannel } from 'ssh2'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import { inProcess } from '../../../src/executors/frame/in-process.ts'
import { openPool } from '../../../src/executors/ssh/pool.ts'
import { openSsh } from '../../../src/executors/ssh/ssh.ts'
import { benchOf } from '../../support/executors/executions.ts'
import { privateKey } from '../../support/executors/ssh-keys.ts'

const PASSWORD = 'open sesame'

describe('ssh › a server inside the test', () => {
  let server: Server
  let port = 0
  let methods: string[] = []
  let accepts: 'password' | 'keyboard-interactive' = 'password'
  let sessions = 0
  let act = (channel: ServerChannel, _line: string) => {
    channel.exit(0)
    channel.end()
  }
  function greet(client: Connection): void {
    client.on('error', () => {}) // a client that goes away
    client.on('authentication', (login) => {
      methods.push(login.method)
      if (login.method === 'password' && accepts === 'password')
        return login.password === PASSWORD ? login.accept() : login.reject([accepts])
      if (login.method !== 'keyboard-interactive' || accepts !== 'keyboard-interactive') return login.reject([accepts])
      login.prompt([{ prompt: 'Password: ', echo: false }], ([answer]) =>
        answer === PASSWORD ? login.accept() : login.reject([accepts])
      )
    })
    let open = 0
    client.on('session', (accept, reject) => {
      if (open > 0) return reject()
      open++
      sessions++
      const session = accept()
      session.on('close', () => open--)
      session.on('exec', (acceptExec, _, { command }) => act(acceptExec(), command))
    })
  }
  const { perform, close } = openSsh(systemClock)
  const executor = inProcess({ type: 'ssh', reads: 'remote', killMs: 900, sends: true, perform, close }, systemClock)
  const bench = benchOf(() => executor)
  before(async () => {
    server = new ssh2.Server({ hostKeys: [privateKey()] }, greet)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    port = typeof address === 'object' && address ? address.port : 0
  })
  after(() => {
    executor.close?.()
    server.close()
  })
  beforeEach(() => {
    methods = []
    sessions = 0
    accepts = 'password'
  })
  const run = (command: string, target: Partial<SshTarget> = {}) =>
    bench.run({
      command,
      ssh: { user: 'u', host: '127.0.0.1', port: String(port), password: PASSWORD, strictHostKey: false, ...target }
    })

  it('10.3.2: by password, and nothing else is tried', async () => {
    expect(await run('x')).to.include({ err: '', exitCode: 0 })
    expect(methods).to.deep.equal(['password'])
  })
  it('10.3.2: a server that asks for the password as a question is answered', async () => {
    accepts = 'keyboard-interactive'
    expect(await run('x', { user: 'other' })).to.include({ exitCode: 0, err: '' })
    expect(methods).to.include('keyboard-interactive')
  })
  it('a refused password is reported without showing it', async () => {
    const { exitCode, err } = await run('x', { password: 'wrong one' })
    expect(exitCode).to.equal(1)
    expect(err).to.include('the login of u by password was refused').and.not.include('wrong')
  })
  it('the host key is checked before the password is sent', async () => {
    const { err } = await run('x', { strictHostKey: true, knownHostFile: '/dev/null', user: 'third' })
    expect(err).to.include('is not known')
    expect(methods).to.deep.equal([])
  })
  it('D34 a command that a server opens no session for was not sent', async () => {
    const pool = openPool(systemClock)
    const credentials = { user: 'u', host: '127.0.0.1', port, password: PASSWORD }
    const peer = { credentials, trust: { strictHostKey: false } }
    act = () => {} // the sessions stay open
    await pool.open(peer, 'first')
    const told: boolean[] = []
    await pool.open(peer, 'second', { sent: (isSent) => void told.push(isSent) })
    expect(told).to.deep.equal([true, false, true])
    pool.close()
  })
  it('a server that takes one session for each connection: steps get one each, and a stop too', async () => {
    const channels: ServerChannel[] = []
    act = (channel, line) => {
      const kill = /^kill -TERM -(\d+)$/.exec(line)
      channels.push(channel)
      if (!kill) {
        channel.stderr.write(`${/troupe-\w+/.exec(line)?.[0]} ${100 + channels.length}\n`)
        channel.write('at work\n')
        return
      }
      const index = Number(kill[1]) - 101
      channels[index]?.exit('TERM', false, '')
      channels[index]?.end()
      channel.exit(0)
      channel.end()
    }
    const begun = [0, 1, 2].map((index) =>
      bench.start({
        command: `c${index}`,
        ssh: { user: 'u', host: '127.0.0.1', port: String(port), password: PASSWORD, strictHostKey: false }
      })
    )
    while (channels.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    // What waits for a group to be gone has its answer at once.
    const stopping = act
    act = (channel, line) => {
      if (line.startsWith('kill -TERM')) return stopping(channel, line)
      channel.exit(0)
      channel.end()
    }
    for (const { running } of begun) running.stop('SIGTERM')
    for (const { outcome } of begun)
      expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', out: 'at work\n', err: '' })
    expect(sessions).to.be.at.least(6)
  })
})
