/** HTTPS. Source: api-semantics 9.3. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { serve } from '../../src/api/server.ts'
import type { Tls } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { selfSigned } from '../support/auth/certificates.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

const ask = (address: string, options: RequestOptions) =>
  new Promise<{ status: number | undefined; name: string }>((resolve, reject) => {
    request(`${address}/api/v2/health`, { agent: false, ...options }, (response) => {
      const { subject } = (response.socket as TLSSocket).getPeerCertificate() // of an https request
      response.resume().on('end', () => resolve({ status: response.statusCode, name: String(subject.CN) }))
    })
      .on('error', reject)
      .end()
  })

const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.fail('it was answered'),
    (error: Error) => error
  )

describe('API › TLS', () => {
  const folder = temporaryFolder()
  const certFile = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  const put = (name: string) => {
    const { cert, key } = selfSigned(name)
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    return cert
  }
  const served = (tls: Tls, faults: unknown[] = []) =>
    serve(fakeEngine({ tls }), { port: 0, log: (_message, cause) => void faults.push(cause) })

  it('tls.certFile + tls.keyFile -> HTTPS only', async () => {
    const ca = put('first')
    const server = await served({ certFile, keyFile })
    try {
      expect(server.address).to.match(/^https:\/\/127\.0\.0\.1:\d+$/)
      expect(await ask(server.address, { ca })).to.deep.equal({ status: 200, name: 'first' })
      expect(await failure(ask(server.address, {}))).to.have.property('code', 'DEPTH_ZERO_SELF_SIGNED_CERT')
      const clear = new Promise((resolve, reject) => {
        plain(`${server.address.replace('https', 'http')}/api/v2/health`, resolve)
          .on('error', reject)
          .end()
      })
      await failure(clear)
      expect(await failure(ask(server.address, { ca, maxVersion: 'TLSv1.1' }))).to.be.an('error')
    } finally {
      await server.close()
    }
  })

  it('tls.caFile = require client certificates', async () => {
    const ca = put('second')
    const client = selfSigned('client')
    const stranger = selfSigned('stranger')
    const caFile = join(folder, 'ca.pem')
    writeFileSync(caFile, client.cert)
    const server = await served({ certFile, keyFile, caFile })
    try {
      expect((await ask(server.address, { ca, ...client })).status).to.equal(200)
      await failure(ask(server.address, { ca }))
      await failure(ask(server.address, { ca, ...stranger }))
    } finally {
      await server.close()
    }
  })

  it('SIGHUP with a tls.caFile that holds no certificate leaves the old authority in use', async () => {
    const faults: unknown[] = []
    const ca = put('fourth')
    const client = selfSigned('client')
    const caFile = join(folder, 'clients.pem')
    writeFileSync(caFile, client.cert)
    const server = await served({ certFile, keyFile, caFile }, faults)
    try {
      writeFileSync(caFile, '')
      process.emit('SIGHUP')
      expect((await ask(server.address, { ca, ...client })).status).to.equal(200)
      expect(faults).to.have.length(1)
    } finally {
      await server.close()
    }
  })

  it('SIGHUP reloads certificates; files that are wrong leave the old ones in use', async () => {
    const faults: unknown[] = []
    const old = put('old')
    const server = await served({ certFile, keyFile }, faults)
    try {
      const ca = [old, put('new')]
      expect((await ask(server.address, { ca })).name).to.equal('old')
      process.emit('SIGHUP')
      expect((await ask(server.address, { ca })).name).to.equal('new')
      writeFileSync(keyFile, 'no key')
      process.emit('SIGHUP')
      expect((await ask(server.address, { ca })).name).to.equal('new')
      expect(faults).to.have.length(1)
    } finally {
      await server.close()
    }
    expect(process.listenerCount('SIGHUP')).to.equal(0)
  })

  it('a file that is missing, wrong or a pipe is refused by name', async () => {
    put('third')
    const refused = async (tls: Tls) => {
      const error = await failure(served(tls))
      return error instanceof TroupeError ? error.message : expect.fail(String(error))
    }
    expect(await refused({ certFile: '/nowhere/c', keyFile })).to.equal(
      'tls.certFile: wanted a file that can be read, found ENOENT at /nowhere/c'
    )
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(await refused({ certFile, keyFile: pipe })).to.equal(
      `tls.keyFile: wanted a file that can be read, found a pipe at ${pipe}`
    )
    expect(await refused({ certFile, keyFile: certFile })).to.match(/^tls: .* cannot be used: /)
    const caFile = join(folder, 'none.pem')
    for (const text of ['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      writeFileSync(caFile, text)
      const wanted = `tls.caFile: wanted certificates (PEM), found none in ${caFile}`
      expect(await refused({ certFile, keyFile, caFile })).to.equal(wanted)
    }
  })
})
