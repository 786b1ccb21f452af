/** Listening: where, and within which limits. Source: reliability 5.1, F24; architecture 7. */
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { limitedServer, type ServeOptions, serve as serveFor } from '../../src/api/server.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { TroupeError } from '../../src/errors.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { WHEN_BUSY } from '../support/waiting.ts'

describe('API › server', () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  const serve = async (engine: Engine, options?: ServeOptions) => {
    const server = await serveFor(engine, options)
    closing.push(server.close)
    return server
  }

  const failureOf = (listening: Promise<unknown>) =>
    listening.then(
      () => expect.fail('it listens'),
      (error) => (error instanceof TroupeError ? error : expect.fail(String(error)))
    )

  /** What a server answers to bytes that `node:http` would not send. */
  const answerTo = (port: number, bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (data) => (text += data))
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
    })

  it('refuses a host beyond loopback, and says how to fix it', async () => {
    for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.org', '']) {
      const { code, message } = await failureOf(serve(fakeEngine(), { host, port: 0 }))
      expect(code).to.equal('bad_request')
      expect(message).to.contain('127.0.0.1').and.to.contain('ENGINE_ALLOW_UNAUTHENTICATED=1')
    }
    await failureOf(serve(fakeEngine({ host: '0.0.0.0', port: 0 })))
  })

  it('listens beyond loopback when that is allowed', async () => {
    const server = await serve(fakeEngine({ allowUnauthenticated: true }), { host: '0.0.0.0', port: 0 })
    expect(server.address).to.match(/^http:\/\/0\.0\.0\.0:\d+$/)
    await server.close()
  })

  it('takes host and port from the configuration, and reports its address', async () => {
    const server = await serve(fakeEngine({ host: '127.0.0.1', port: 0 }))
    expect(server.address).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    await server.close()
    await server.close()
  })

  it('a port that is taken is a service_unavailable with its address', async () => {
    const first = await serve(fakeEngine(), { port: 0 })
    const port = Number(new URL(first.address).port)
    const { code, message } = await failureOf(serve(fakeEngine(), { port }))
    expect([code, message]).to.deep.equal(['service_unavailable', `cannot listen on 127.0.0.1:${port}: EADDRINUSE`])
  })

  it('time limits: headers 10 s, whole request 30 s, idle 120 s, at most 1000 connections, and 100 that get an answer', () => {
    const server = limitedServer(createApp(fakeEngine()))
    expect(server).to.include({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 120_000,
      timeout: 120_000,
      maxConnections: 1_100
    })
  })

  it('every error response is an Error object: a header above 16 KB, bytes that are no HTTP, an unknown Expect', async () => {
    const server = await serve(fakeEngine(), { port: 0 })
    const port = Number(new URL(server.address).port)
    const long = await answerTo(
      port,
      `GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17 * 1024)}\r\n\r\n`
    )
    expect(long).to.match(/^HTTP\/1\.1 431 [\s\S]*\r\n\r\n\{"code":"bad_request","message":".+"\}$/)
    const health = 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n'
    expect(await answerTo(port, `${health}no http\r\n\r\n`)).to.match(/^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /)
    expect(await answerTo(port, 'no http\r\n\r\n')).to.match(/^HTTP\/1\.1 400 [\s\S]*\{"code":"bad_request"/)
    expect(await answerTo(port, 'GET /api/v2/health HTTP/1.1\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 403 [\s\S]*\{"code":"forbidden"/
    )
    const expects = 'POST /api/v2/dags HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\nContent-Length: 0\r\n\r\n'
    expect(await answerTo(port, expects)).to.match(/^HTTP\/1\.1 417 [\s\S]*\{"code":"bad_request"/)
  })

  it('F24 drops a client that was too slow and goes on sending', async () => {
    const server = limitedServer(createApp(fakeEngine()))
    server.headersTimeout = 100
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (data) => (text += data))
    socket.on('error', () => {}) // the server does not read what it sends any more
    socket.write('GET /api/v2/health HTTP/1.1\r\nX-Slow: ')
    const dripping = setInterval(() => socket.write('x'), 100)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(dripping)
    expect(text).to.match(/^HTTP\/1\.1 408 [\s\S]*\{"code":"bad_request"/)
    await new Promise((resolve) => server.close(resolve))
  })

  it('close waits for the request that is being answered', async function () {
    this.retries(WHEN_BUSY)
    const engine = fakeEngine()
    let release = () => {}
    const asked = new Promise<void>((reached) => {
      engine.health = () =>
        new Promise((resolve) => {
          release = () => resolve(engine.healthNow)
          reached()
        })
    })
    const server = await serve(engine, { port: 0 })
    const status = new Promise((resolve, reject) => {
      request(`${server.address}/api/v2/health`, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    await asked
    const begin = performance.now()
    const closed = server.close()
    release()
    expect(await status).to.equal(200)
    await closed
    expect(performance.now() - begin).to.be.lessThan(2_000)
  })

  describe('a local socket', () => {
    let folder = ''
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'troupe-socket-'))
    })
    after(() => rm(folder, { recursive: true }))

    const healthOver = (socketPath: string) =>
      new Promise((resolve, reject) => {
        request({ socketPath, path: '/api/v2/health' }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })

    it('is served, for the owner only', async () => {
      const socketPath = join(folder, 'api.sock')
      const server = await serve(fakeEngine({ host: '0.0.0.0' }), { socketPath })
      expect(server.address).to.equal(socketPath)
      expect(await healthOver(socketPath)).to.equal(200)
      expect((await stat(socketPath)).mode & 0o777).to.equal(0o600)
      await server.close()
    })

    it('replaces a socket file that nobody answers on, and no other', async () => {
      const socketPath = join(folder, 'left.sock')
      const left = createServer().listen(socketPath)
      await new Promise((resolve) => left.on('listening', resolve))
      expect((await failureOf(serve(fakeEngine(), { socketPath }))).message).to.contain('EADDRINUSE')
      const abandoned = join(folder, 'abandoned.sock')
      await rename(socketPath, abandoned)
      await new Promise((resolve) => left.close(resolve))
      const server = await serve(fakeEngine(), { socketPath: abandoned })
      expect(await healthOver(abandoned)).to.equal(200)
      await server.close()
      const plain = join(folder, 'file')
      await writeFile(plain, 'precious')
      expect((await failureOf(serve(fakeEngine(), { socketPath: plain }))).message).to.contain('EADDRINUSE')
      expect((await stat(plain)).size).to.equal(8)
    })
  })
})
