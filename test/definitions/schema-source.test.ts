/** Where schemas are had from: places, limits and redirects. Source: execution-semantics 2.3.1, 2.3.5. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { isRemote, localSchema, remoteSchema } from '../../src/definitions/schema-source.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

describe('params schema › files', () => {
  const folder = temporaryFolder()
  const [closed, open] = [join(folder, 'closed'), join(folder, 'open')]
  before(() => {
    // A link in a circle refuses to be looked at, to every user.
    for (const each of [closed, open]) mkdirSync(each)
    symlinkSync('params.json', join(closed, 'params.json'))
    writeFileSync(join(open, 'params.json'), '{}')
  })

  it('one that cannot be looked at is passed over when there is one in a later place', async () => {
    expect(await localSchema('params.json', [closed, open])).to.equal('{}')
  })
  it('one that cannot be looked at anywhere is reported with the reason, and so is what can be no path', async () => {
    const wanted = 'failed to get JSON schema: the file '
    const refused = async (schema: string, why: string) => {
      const error = await localSchema(schema, [closed]).catch((error) => error)
      expect(error)
        .to.be.instanceOf(TroupeError)
        .and.include({ message: `${wanted}${schema} cannot be read (${why})` })
    }
    await refused('params.json', 'ELOOP')
    await refused('a'.repeat(300), 'ENAMETOOLONG')
    await refused('a\0b', 'ERR_INVALID_ARG_VALUE')
  })
})

describe('params schema › http and https URLs', () => {
  let server: Server
  let origin: string
  let arrived: () => void = () => {}
  const routes: Record<string, RequestListener> = {
    '/schema': (_, response) => response.end('{"type": "object"}'),
    '/moved': (_, response) => response.writeHead(302, { location: '/schema' }).end('elsewhere'),
    '/loop': (_, response) => response.writeHead(301, { location: '/loop' }).end(),
    '/file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/large': (_, response) => response.end('x'.repeat(1024 * 1024 + 1)),
    '/whole': (_, response) => response.end('x'.repeat(1024 * 1024)),
    '/silent': () => arrived()
  }
  before((done) => {
    server = createServer((request, response) => {
      const route = routes[request.url ?? '']
      if (route) route(request, response)
      else response.writeHead(404).end('secret page')
    }).listen(0, '127.0.0.1', () => {
      origin = `127.0.0.1:${(server.address() as AddressInfo).port}`
      done()
    })
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const failure = (path: string, clock = systemClock) =>
    remoteSchema(`http://${origin}${path}`, clock).then(
      () => 'accepted',
      (error: Error) => error.message
    )

  it('are distinguished from paths', () => {
    expect(['http://x', 'HTTPS://x', 'http:x', 'https.json', '/http://'].map(isRemote)).to.deep.equal([
      true,
      true,
      false,
      false,
      false
    ])
  })
  it('are fetched, redirects followed', async () => {
    expect(await remoteSchema(`http://${origin}/schema`, systemClock)).to.equal('{"type": "object"}')
    expect(await remoteSchema(`http://${origin}/moved`, systemClock)).to.equal('{"type": "object"}')
  })
  it('1 MiB at most', async () => {
    expect(await remoteSchema(`http://${origin}/whole`, systemClock)).to.have.length(1024 * 1024)
    expect(await failure('/large')).to.equal(`failed to get JSON schema: from ${origin}: wanted at most 1048576 bytes`)
  })
  it('10 s at most', async () => {
    const clock = simulatedClock()
    const asked = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const ending = failure('/silent', clock)
    await asked
    clock.goTo(clock.now() + 9_999)
    clock.goTo(clock.now() + 1)
    expect(await ending).to.equal(`failed to get JSON schema: from ${origin}: no answer within 10 s`)
  })
  it('redirects are limited, and lead to http and https only', async () => {
    expect(await failure('/loop')).to.contain('it redirects too often')
    expect(await failure('/file')).to.contain('elsewhere than to http and https')
  })
  it('a failure names the host and nothing else of the URL or the answer', async () => {
    expect(await failure('/gone?token=secret')).to.equal(
      `failed to get JSON schema: from ${origin}: wanted status 200, found 404`
    )
    const message = await remoteSchema('http://user:secret@127.0.0.1/x', systemClock).catch(
      (error: Error) => error.message
    )
    expect(message)
      .to.match(/^failed to get JSON schema: from 127.0.0.1: ./)
      .and.not.to.contain('secret')
    const closed = await remoteSchema('http://127.0.0.1:9/x', systemClock).catch((error: Error) => error.message)
    expect(closed).to.match(/^failed to get JSON schema: from 127.0.0.1:9: ./)
  })
})
