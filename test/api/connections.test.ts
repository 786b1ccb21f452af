/** Connections: a share for each address, and who gives way when all places are taken. Source: reliability F24, P20. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { get as secureGet } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { limitedServer } from '../../src/api/server.ts'
import type { Certificates } from '../../src/api/tls.ts'
import { selfSigned } from '../support/auth/certificates.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { eventually } from '../support/waiting.ts'
import { served } from './client.ts'

describe('API › connections', () => {
  const ends: (() => Promise<unknown>)[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const end of ends.splice(0)) await end()
  })

  /** A connection that is there; `gone` tells when it was closed, and what came on it. */
  async function silent(port: number, localAddress = '127.0.0.1', text = '') {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    const told = { text: '', isGone: false }
    socket.on('data', (bytes) => {
      told.text += bytes
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      told.isGone = true
    })
    await once(socket, 'connect')
    if (text !== '') socket.write(text)
    return told
  }
  const many = async (count: number, ...args: Parameters<typeof silent>) => {
    const all: Awaited<ReturnType<typeof silent>>[] = []
    // One after the other: the oldest stands first.
    for (let at = 0; at < count; at++) all.push(await silent(...args))
    return all
  }
  const status = (port: number, localAddress: string) =>
    new Promise<number | string>((resolve) => {
      get({ port, host: '127.0.0.1', localAddress, path: '/api/v2/health', agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      }).on('error', ({ message }) => resolve(message))
    })

  it('1,100 silent connections of one stranger: others are served, for the oldest gives way', async () => {
    const { port, close } = await served(fakeEngine())
    ends.push(close)
    const first = await many(1_100, port)
    await eventually('100 have given way', async () => first.filter(({ isGone }) => isGone).length >= 100 || undefined)
    expect(first.slice(0, 100).every(({ isGone }) => isGone)).to.equal(true)
    expect(await status(port, '127.0.0.2')).to.equal(200)
    await eventually('one more has', async () => first[100]?.isGone || undefined)
    expect(first.slice(102).some(({ isGone }) => isGone)).to.equal(false)
  })

  it('a connection that has sent half a request, or is idle after one, gives way as well; one that is being answered does not', async () => {
    const { port, close } = await served(fakeEngine())
    ends.push(close)
    const stream = await silent(port, '127.0.0.1', 'GET /api/v2/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually('it is answered', async () => stream.text.includes(': the journal') || undefined)
    const idle = await silent(port, '127.0.0.1', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually('it is answered', async () => idle.text.includes('healthy') || undefined)
    const half = 'POST /api/v2/dags/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'
    const slow = await silent(port, '127.0.0.1', half)
    await many(997, port)
    await silent(port)
    await eventually('the slow one has given way', async () => slow.isGone || undefined)
    expect([stream.isGone, idle.isGone]).to.deep.equal([false, false])
    for (const socket of sockets.splice(2)) socket.destroy()
    await eventually('room', async () => (await status(port, '127.0.0.2')) === 200 || undefined)
    expect(stream.isGone).to.equal(false)
  })

  it('a quarter of them for one address: the next gets 429 with Retry-After, others are served', async () => {
    const { server, port } = await shared()
    await many(250, port, '127.0.0.3')
    const beyond = await silent(port, '127.0.0.3')
    await eventually('it was told', async () => beyond.isGone || undefined)
    expect(beyond.text).to.match(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
    expect(beyond.text).to.contain('Retry-After: 1\r\n').and.contain('"code":"service_unavailable"')
    expect(await status(port, '127.0.0.3')).to.equal(429)
    expect(await status(port, '127.0.0.4')).to.equal(200)
    sockets[0]?.destroy()
    await eventually('a place', async () => (await status(port, '127.0.0.3')) === 200 || undefined)
    expect(server.maxConnections).to.equal(1_100)
  })

  it('no share is set for this machine, and none for trusted proxies', async () => {
    const server = limitedServer(createApp(fakeEngine()))
    await opened(server)
    const { port } = server.address() as AddressInfo // it listens on a port
    await many(260, port, '127.0.0.3')
    expect(await status(port, '127.0.0.3')).to.equal(200)
    const { port: other } = await shared(['127.0.0.5'])
    await many(260, other, '127.0.0.5')
    expect(await status(other, '127.0.0.5')).to.equal(200)
  })

  it('HTTPS: what is being answered is known there too, and a refused client gets no answer before a handshake', async () => {
    const { cert, key } = selfSigned('localhost')
    const { port } = await shared([], {
      cert: Buffer.from(cert),
      key: Buffer.from(key),
      requestCert: false,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2'
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', localAddress: '127.0.0.6', path: '/api/v2/events', ca: cert }
      secureGet({ ...options, servername: 'localhost', checkServerIdentity: () => undefined }, resolve).on(
        'error',
        reject
      )
    })
    const stream = await answered
    const told = { isGone: false }
    stream
      .on('error', () => undefined)
      .on('close', () => {
        told.isGone = true
      })
    stream.resume()
    // A connection without a handshake lasts 10 s.
    for (const at of [7, 8, 9]) await many(250, port, `127.0.0.${at}`)
    const gone = (await many(1, port, '127.0.0.7'))[0]
    await eventually('it was closed', async () => gone?.isGone || undefined)
    expect([gone?.text, told.isGone]).to.deep.equal(['', false])
    for (const at of [10, 11]) await many(249, port, `127.0.0.${at}`)
    expect(told.isGone, 'all places were taken: silent ones gave way').to.equal(false)
    stream.destroy()
  })

  async function opened(server: ReturnType<typeof limitedServer>): Promise<void> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(
      () =>
        new Promise((resolve) => {
          server.closeAllConnections()
          server.close(resolve)
        })
    )
  }

  /** A server to which addresses of this machine are like those of others. */
  async function shared(trusted: string[] = [], certificates?: Certificates) {
    const server = limitedServer(createApp(fakeEngine()), {
      certificates,
      isLocal: () => false,
      isTrusted: (address) => trusted.includes(address)
    })
    await opened(server)
    return { server, port: (server.address() as AddressInfo).port } // it listens on a port
  }
})
