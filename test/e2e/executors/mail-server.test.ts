/** The mail server: with TLS and a password, untrusted, and asked again after kill -9. Source: execution-semantics 14.3. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { program } from '../../support/cli/program.ts'
import { killedAfter } from '../../support/engine/killed-engine.ts'
import { mailServer } from '../../support/executors/mail-server.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('mail about runs › a mail server with STARTTLS and AUTH', () => {
  const pair = selfSigned('localhost')
  const spec = (port: number) => `name: tls
smtp: {host: 127.0.0.1, port: "${port}", username: me, password: "\${PASSWORD}"}
infoMail: {from: i@x.test, to: info@x.test}
mailOn: {success: true}
steps: [echo a]`

  it('signs in over TLS, with the password from the environment of the server', async () => {
    const server = await mailServer({ key: pair.key, cert: pair.cert })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'ca.pem'), pair.cert)
    writeFileSync(join(folder, 'tls.yaml'), spec(server.port))
    const environment = {
      ENGINE_HOME: join(folder, 'home'),
      PASSWORD: 'secret',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem')
    }
    expect(await program(folder, environment, 'start', 'tls.yaml').code).to.equal(0)
    expect(server.arrived.map(({ subject, user, secure }) => [subject, user, secure])).to.deep.equal([
      ['tls (succeeded)', 'me', true]
    ])
    await server.close()
  })
  it('a certificate that is not trusted: nothing is sent, the run has succeeded', async () => {
    const server = await mailServer({ key: pair.key, cert: pair.cert })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'tls.yaml'), spec(server.port))
    const environment = { ENGINE_HOME: join(folder, 'home'), PASSWORD: 'secret' }
    expect(await program(folder, environment, 'start', 'tls.yaml').code).to.equal(0)
    expect(server.arrived).to.deep.equal([])
    await server.close()
  })
})

describe('mail about runs › kill -9 of the engine while a mail is on its way', () => {
  it('the next engine sends it', async () => {
    const home = temporaryFolder()
    let asked = 0
    const mute = createServer(() => void asked++)
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as { port: number }
    const spec = `name: cut
env: [{PORT: "\`cat ${home}/port\`"}]
smtp: {host: 127.0.0.1, port: "$PORT"}
infoMail: {from: i@x.test, to: info@x.test}
mailOn: {success: true}
steps: ["echo one >>${home}/marks"]`
    writeFileSync(join(home, 'port'), String(port))
    const killed = killedAfter(home, spec, 1, 1_000)
    await eventually('a mail on its way', () => (asked > 0 ? true : undefined))
    await killed
    const server = await mailServer()
    writeFileSync(join(home, 'port'), String(server.port))
    const engine = await createEngine({ home })
    const { run } = await engine.result({ name: 'cut', dagRunId: 'r1' })
    expect([run.status, server.arrived.map(({ subject }) => subject)]).to.deep.equal(['succeeded', ['cut (succeeded)']])
    await engine.close()
    await server.close()
    mute.close()
  })
})
