/** What an http step gives to logs, outputs and JSON is the content, not the form that it was sent in. Source: execution-semantics 10.4.3-10.4.5; reliability R18. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createRawServer } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { http } from '../../../src/executors/http/http.ts'
import { has } from '../../support/executors/archives.ts'
import { benchFor } from '../../support/executors/executions.ts'

const MB = 1_048_576
const zstd = (bytes: Buffer | string, ...flags: string[]) =>
  execFileSync('zstd', ['-q', '-c', ...flags], { input: bytes, maxBuffer: 64 * MB })
const quickly = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
/** `{"z":1}` in zstd, by the program. */
const ZSTD = Buffer.from('KLUv/QRYOQAAeyJ6IjoxfexTK78=', 'base64')

describe('http executor › content codings', () => {
  let limits = { bodyBytes: 4 * MB, jsonBytes: 4 * MB }
  const bench = benchFor((work) => http(work, systemClock, limits))
  let status = 200
  let headers: Record<string, string | string[] | number> = {}
  let body: Buffer = Buffer.alloc(0)
  const server = createServer((_, response) => {
    response.on('error', () => {}) // the client has had enough
    response.writeHead(status, { date: 'D', connection: 'close', ...headers }).end(body)
  })
  let address = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  after(() => server.close())
  beforeEach(() => {
    status = 200
    headers = {}
    limits = { bodyBytes: 4 * MB, jsonBytes: 4 * MB }
  })
  const get = (config: Record<string, boolean> = { silent: true }) => bench.run({ words: ['GET', address], config })
  const sends = (coding: string | string[], bytes: Buffer) => {
    headers = { 'content-encoding': coding, 'content-length': bytes.length }
    body = bytes
  }

  const text = '{"z":1}'
  const coded: [coding: string, bytes: Buffer][] = [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['gzip', Buffer.concat([gzipSync('{"z"'), gzipSync(':1}')])],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity, deflate , gzip', gzipSync(deflateRawSync(text))],
    ['identity', Buffer.from(text)]
  ]
  for (const [coding, bytes] of coded)
    it(`${coding} (${bytes.length} bytes) is decoded in the log and in JSON`, async () => {
      sends(coding, bytes)
      expect(await get()).to.include({ exitCode: 0, out: text, err: '' })
      expect(JSON.parse((await get({ json: true })).out).body).to.deep.equal({ z: 1 })
    })
  it('zstd is decoded: by Node where it can, else by the program', async function () {
    if (Number(process.versions.node.split('.')[0]) < 24 && !has('zstd')) return this.skip()
    sends('zstd', ZSTD)
    expect(await get()).to.include({ exitCode: 0, out: text, err: '' })
    if (!has('zstd')) return
    const large = Buffer.alloc(3 * MB, 'some text, and more of it. ')
    sends('gzip, zstd', zstd(gzipSync(large)))
    expect((await get()).out).to.equal(large.toString())
  })
  it('zstd that nothing here can decode is left as it is, and what helps is named', async function () {
    if (process.versions.node.split('.')[0] !== '20') return this.skip()
    sends('zstd', ZSTD)
    const end = await bench.run({ words: ['GET', address], config: { silent: true }, env: { PATH: '/nowhere' } })
    expect(end.exitCode).to.equal(0)
    expect(end.err).to.equal(
      'the body is left in its coding, zstd: zstd needs Node 22.15, or the program zstd in the PATH\n'
    )
  })
  it('Content-Encoding and Content-Length are removed from a decoded response; without a body they stay', async () => {
    sends('gzip', gzipSync('hello'))
    expect((await get({})).out).to.equal('200 OK\nConnection: close\nDate: D\nhello')
    sends('gzip', Buffer.alloc(0))
    expect((await get({})).out).to.equal(
      '200 OK\nConnection: close\nContent-Encoding: gzip\nContent-Length: 0\nDate: D\n'
    )
    headers = { 'content-encoding': 'gzip', 'content-length': 25 }
    const { exitCode, out } = await bench.run({ words: ['HEAD', address] })
    expect([exitCode, out]).to.deep.equal([
      0,
      '200 OK\nConnection: close\nContent-Encoding: gzip\nContent-Length: 25\nDate: D\n'
    ])
  })
  it('repeated fields are one list, in the order in which the codings were applied', async () => {
    sends(['deflate', 'gzip'], gzipSync(deflateSync(text)))
    expect(await get()).to.include({ exitCode: 0, out: text })
  })
  it('what was coded for the transfer is decoded like what was coded before', async () => {
    const chunk = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')])
    const sent = [
      ['Transfer-Encoding: gzip, chunked', chunk(gzipSync(text)), 'Transfer-Encoding: chunked\n'],
      ['Transfer-Encoding: gzip', gzipSync(text), ''],
      [
        'Content-Encoding: deflate\r\nTransfer-Encoding: gzip, chunked',
        chunk(gzipSync(deflateSync(text))),
        'Transfer-Encoding: chunked\n'
      ]
    ] as const
    const raw = createRawServer((socket) => {
      const [lines = '', bytes = Buffer.alloc(0)] = sent[served++] ?? []
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`)
        socket.end(bytes)
      })
    })
    let served = 0
    await once(raw.listen(0, '127.0.0.1'), 'listening')
    const words = ['GET', `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`]
    for (const [lines, , told] of sent)
      expect((await bench.run({ words })).out, lines).to.equal(`200 OK\n${told}${text}`)
    raw.close()
  })
  it('JSON may begin with a byte order mark', async () => {
    sends('gzip', gzipSync(`\uFEFF${text}`))
    expect(JSON.parse((await get({ json: true })).out).body).to.deep.equal({ z: 1 })
  })
  it('the body of an error is decoded too', async () => {
    status = 500
    sends('gzip', gzipSync('what went wrong'))
    const { exitCode, out } = await get()
    expect([exitCode, out]).to.deep.equal([1, '500 Internal Server Error\nConnection: close\nDate: D\nwhat went wrong'])
  })
  it('a coding that cannot be decoded is left as it is, and named', async () => {
    const left: [coding: string, bytes: string, why: string][] = [
      ['compress', 'abc', 'gzip, deflate, br and zstd can be decoded'],
      ['gzip, aes128gcm', 'abc', 'gzip, deflate, br and zstd can be decoded'],
      ['__proto__', 'abc', 'gzip, deflate, br and zstd can be decoded'],
      ['gzip', 'plain text', 'it does not begin like gzip'],
      ['gzip, gzip, gzip, gzip, gzip, gzip', 'abc', 'at most 5 can be taken off']
    ]
    for (const [coding, bytes, why] of left) {
      sends(coding, Buffer.from(bytes))
      expect(await get()).to.include({
        exitCode: 0,
        out: bytes,
        err: `the body is left in its coding, ${coding}: ${why}\n`
      })
      expect((await get({})).out).to.include(`\nContent-Encoding: ${coding}\n`)
    }
    status = 206
    sends('gzip', gzipSync('abc').subarray(0, 8))
    const part = await get()
    expect(part.exitCode).to.equal(0)
    expect(part.err).to.include('a part of a coded body cannot be decoded')
  })
  it('a body that is cut off or damaged fails the step, and says of what coding it is', async () => {
    const noise = Buffer.alloc(5_000, 'abcdefgh')
    const damaged: [coding: string, bytes: Buffer][] = [
      ['gzip', gzipSync(noise).subarray(0, 30)],
      ['deflate', Buffer.from('nonsense')],
      ['br', Buffer.from('nonsense')],
      ['br, gzip', gzipSync('nonsense')]
    ]
    if (has('zstd')) damaged.push(['zstd', zstd(noise).subarray(0, 20)])
    for (const [coding, bytes] of damaged) {
      sends(coding, bytes)
      const { exitCode, err } = await get()
      expect([coding, exitCode]).to.deep.equal([coding, 1])
      expect(err).to.include(`cannot be decoded from ${coding.split(',')[0]}: `)
    }
  })
  describe('R18: a bomb fills neither memory nor disk: decoded bytes count, those between two codings too', () => {
    const zeros = Buffer.alloc(32 * MB)
    const bombs: [name: string, coding: string, make: () => Buffer][] = [
      ['gzip', 'gzip', () => gzipSync(zeros)],
      ['deflate', 'deflate', () => deflateSync(zeros)],
      ['br', 'br', () => quickly(zeros)],
      ['gzip in gzip', 'gzip, gzip', () => gzipSync(gzipSync(zeros))],
      ['many empty members', 'gzip, br', () => quickly(Buffer.alloc(20 * MB, gzipSync('')))],
      ['zstd', 'zstd', () => (has('zstd') ? zstd(zeros) : gzipSync(zeros))]
    ]
    for (const [name, coding, make] of bombs)
      it(name, async function () {
        if (name === 'zstd' && !has('zstd')) return this.skip()
        sends(coding, make())
        const before = process.memoryUsage.rss()
        const { exitCode, out, err } = await get()
        expect([exitCode, out.length <= limits.bodyBytes]).to.deep.equal([1, true])
        expect(err).to.include(`the body of the response exceeds the limit of ${4 * MB} bytes\n`)
        expect((await get({ json: true })).err).to.include(`${4 * MB} bytes for json: true`)
        expect(process.memoryUsage.rss() - before).to.be.below(48 * MB)
      })
    it('a window of zstd beyond 8 MiB is refused', async function () {
      if (!has('zstd')) return this.skip()
      limits = { bodyBytes: 64 * MB, jsonBytes: MB }
      sends('zstd', zstd(Buffer.alloc(40 * MB, 'x'), '-1', '--long=26'))
      expect((await get()).err).to.include('cannot be decoded from zstd: ')
    })
  })
})
