/** What is said when a bus cannot be reached: what was tried, and what helps. Source: distribution 6; issue "Bad input". */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { type NatsServers, openNatsBus } from '../../src/bus/nats.ts'
import { systemClock as clock } from '../../src/clock.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

describe('bus › why it is out of reach', function () {
  this.timeout(30_000)
  async function troubleWith(servers: Omit<NatsServers, 'servers'> & { server: string }): Promise<string> {
    const { server, ...rest } = servers
    const bus = openNatsBus({ ...rest, servers: [server], name: 'test', inbox: 'trp.t.inbox.test', clock })
    try {
      return await eventually('a reason', () => bus.trouble || undefined)
    } finally {
      await bus.close()
    }
  }

  it('a machine that is not known, and one on which nothing listens', async () => {
    expect(await troubleWith({ server: 'nowhere.invalid:4222' })).to.equal('no machine of this name is known here')
    expect(await troubleWith({ server: `127.0.0.1:${await freePort()}` })).to.equal('nothing listens there')
  })
  it('something that is no message bus, and says nothing', async () => {
    const other = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    expect(await troubleWith({ server: `127.0.0.1:${port}` })).to.match(/^no answer within 5 s: .*no message bus$/)
    other.close()
  })
  it('files of TLS that are not there, or are something else, are named with their setting', async () => {
    const folder = temporaryFolder()
    const junk = join(folder, 'junk.pem')
    writeFileSync(junk, 'this is no certificate\n')
    const server = `127.0.0.1:${await freePort()}`
    const none = join(folder, 'none.pem')
    expect(await troubleWith({ server, tls: { caFiles: [none] } })).to.equal(
      `peer.clientCaFile: wanted a PEM file at ${none}, found none`
    )
    expect(await troubleWith({ server, tls: { caFiles: [junk] } })).to.equal(
      `peer.clientCaFile: wanted a PEM file at ${junk}, found something else`
    )
    expect(await troubleWith({ server, tls: { certFile: none, keyFile: junk } })).to.equal(
      `peer.certFile: wanted a PEM file at ${none}, found none`
    )
  })
})
