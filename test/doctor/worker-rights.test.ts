/** Whether servers of the operator keep workers apart. Source: distribution 6: `troupe doctor` probes that a key cannot publish as another. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { brokerConfig } from '../../src/bus/broker-config.ts'
import { keyFileText, newKey } from '../../src/bus/key-file.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { busFindings } from '../../src/doctor/message-bus.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats } from '../support/nats.ts'

const HOME = 'a'.repeat(16)

describe('doctor › rights of workers at servers of the operator', function () {
  this.timeout(20_000)
  needsNats()
  const folder = temporaryFolder()
  let server: ChildProcess
  let port: number
  const paths = {
    good: join(folder, 'good.key'),
    bad: join(folder, 'bad.key'),
    mute: join(folder, 'mute.key'),
    unknown: join(folder, 'unknown.key')
  }
  before(async () => {
    port = await freePort()
    const keys = { good: await newKey(), bad: await newKey(), mute: await newKey(), unknown: await newKey() }
    for (const [name, path] of Object.entries(paths)) {
      const { seed } = keys[name as keyof typeof keys]
      writeFileSync(path, keyFileText({ id: name, home: HOME, cluster: 'troupe', seed }), { mode: 0o600 })
    }
    const options = { host: '127.0.0.1', port, cluster: 'troupe', token: 'boss' }
    const written = brokerConfig(options, 'boss', join(folder, 'pid'), [
      { home: HOME, publicKey: keys.good.publicKey },
      { home: 'b'.repeat(16), publicKey: keys.bad.publicKey },
      { home: 'c'.repeat(16), publicKey: keys.mute.publicKey }
    ])
    // As an operator may have written it: rights of another, and of all.
    const config = written.replaceAll(`up.${'b'.repeat(16)}.>`, 'up.*.>').replaceAll(`down.${'b'.repeat(16)}`, 'down.*')
    writeFileSync(join(folder, 'nats.conf'), config, { mode: 0o600 })
    const PATH = `${process.env.PATH}:/usr/sbin`
    server = spawn('nats-server', ['-c', join(folder, 'nats.conf')], {
      env: { PATH },
      stdio: ['ignore', 'ignore', 'pipe']
    })
    await new Promise<void>((resolve) =>
      server.stderr?.on('data', (text) => {
        if (String(text).includes('Server is ready')) resolve()
      })
    )
  })
  after(() => server?.kill('SIGKILL'))
  const found = async (keyFile: string) => {
    const settings = { 'peer.token': 'boss', 'worker.keyFile': keyFile }
    const config = readConfig({ home: folder, coordinator: { nats: [`127.0.0.1:${port}`] }, settings }, {})
    return (await busFindings(config, false, systemClock)).map(({ message, mending }) => `${message}; ${mending}`)
  }
  it('a key that can speak or listen as another, that cannot connect, or cannot be read is named', async () => {
    const [good, bad, mute, unknown, none] = await Promise.all(
      [paths.good, paths.bad, paths.mute, paths.unknown, '/nowhere'].map(found)
    )
    expect(good).to.deep.equal([])
    expect(
      bad?.map((text) => text.replace(/; its rights should be permissions: .*trp\.troupe\.up\.a{16}\.>.*$/, ''))
    ).to.deep.equal([
      'the worker bad can speak as another worker with its key',
      'the worker bad can listen to the tasks of another worker with its key'
    ])
    expect(mute?.[0]).to.match(/^the worker mute cannot speak as itself with its key/)
    expect(unknown?.[0]).to.match(/^the worker unknown cannot connect with its key: it refuses the key/)
    expect(none?.[0]).to.match(
      /^worker\.keyFile: wanted a file from troupe worker enroll at \/nowhere, found none; until then/
    )
  })
})
