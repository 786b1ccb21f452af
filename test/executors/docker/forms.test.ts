/** What is written in definitions and in the environment, without an engine. Source: execution-semantics 10.2. */
import { expect } from 'chai'
import { bind } from '../../../src/executors/docker/api-objects.ts'
import { connectionOptions, reasonOf } from '../../../src/executors/docker/connection.ts'
import { credentialsFor, registryOf } from '../../../src/executors/docker/credentials.ts'
import { pieces } from '../../../src/executors/docker/frames.ts'
import { published } from '../../../src/executors/docker/ports.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const found = (...given: Parameters<typeof credentialsFor>) => {
  const { username, password } = credentialsFor(...given) ?? {}
  return username === undefined ? undefined : `${username}:${password}`
}

describe('docker › registryAuths', () => {
  it('10.2.30: {username, password}, {auth}, or a text; username and password win', () => {
    const image = 'ghcr.io/a/b:1'
    const entry = { username: 'u', password: 'p', auth: base64('x:y') }
    expect(found(image, { 'ghcr.io': entry }, undefined)).to.equal('u:p')
    expect(found(image, { 'ghcr.io': { auth: base64('x:y:z') } }, undefined)).to.equal('x:y:z')
    expect(found(image, { 'ghcr.io': { auth: '{"username": "j", "password": "k"}' } }, undefined)).to.equal('j:k')
    expect(found(image, { 'docker.io': entry }, undefined)).to.equal(undefined)
    expect(() => found(image, { 'ghcr.io': { auth: 'bm9uZQ==' } }, undefined)).to.throw(/base64 of <user>:<password>/)
  })
  it('10.2.31, 10.2.32: a whole configuration as text: also with https:// in front, and without port', () => {
    const text = (host: string) => JSON.stringify({ auths: { [host]: { auth: base64('x:y') } } })
    for (const host of ['r.io:5000', 'https://r.io:5000', 'r.io', 'https://r.io'])
      expect(found('r.io:5000/a', text(host), undefined), host).to.equal('x:y')
    expect(found('r.io/a', text('other.io'), undefined)).to.equal(undefined)
    expect(() => found('r.io/a', '{"s3cret', undefined)).to.throw(/^registryAuths: wanted JSON((?!s3cret).)*$/)
  })
  it('10.2.32: the host is the first part with a dot, a colon, or localhost; else docker.io, by each of its names', () => {
    expect(['a', 'a/b', 'localhost/a', 'r:5000/a', 'r.io/a/b'].map(registryOf)).to.deep.equal([
      'docker.io',
      'docker.io',
      'localhost',
      'r:5000',
      'r.io'
    ])
    for (const host of ['docker.io', 'index.docker.io', 'https://index.docker.io/v1/'])
      expect(found('alpine', { [host]: { username: 'u', password: 'p' } }, undefined)).to.equal('u:p')
  })
  it('10.2.33: DOCKER_AUTH_CONFIG where the definition has none for the host', () => {
    const environment = JSON.stringify({ auths: { 'r.io': { auth: base64('e:f') } } })
    expect(found('r.io/a', undefined, environment)).to.equal('e:f')
    expect(found('r.io/a', { 'r.io': { username: 'u', password: 'p' } }, environment)).to.equal('u:p')
    expect(found('s.io/a', undefined, environment)).to.equal(undefined)
  })
})

describe('docker › ports, volumes, engine, streams', () => {
  it('10.2.26: `80` is exposed only; `8080:80` and `ip:8080:80` are bound, each with its protocol', () => {
    const { exposed, bindings } = published([
      '80',
      '8080:80',
      '127.0.0.1:53:53/udp',
      '9000-9001:90-91',
      '[::1]:1:2',
      '0:7'
    ])
    expect(Object.keys(exposed)).to.deep.equal(['80/tcp', '53/udp', '90/tcp', '91/tcp', '2/tcp', '7/tcp'])
    expect(bindings).to.deep.equal({
      '80/tcp': [{ HostIp: '0.0.0.0', HostPort: '8080' }],
      '53/udp': [{ HostIp: '127.0.0.1', HostPort: '53' }],
      '90/tcp': [{ HostIp: '0.0.0.0', HostPort: '9000' }],
      '91/tcp': [{ HostIp: '0.0.0.0', HostPort: '9001' }],
      '2/tcp': [{ HostIp: '::1', HostPort: '1' }],
      '7/tcp': [{ HostIp: '0.0.0.0', HostPort: '' }]
    })
    for (const wrong of ['x', '1-2:3', '70000', '3-2'])
      expect(() => published([wrong]), wrong).to.throw(/container\.ports/)
  })
  it('10.2.11, 10.2.25: a relative source is one of the working directory; a name is a volume', () => {
    const sources = ['./a:/b:ro', '.:/b', '../a:/b', 'a/c:/b', 'name:/b', '/abs:/b'].map((text) =>
      bind(text, '/dag/dir')
    )
    expect(sources).to.deep.equal([
      '/dag/dir/a:/b:ro',
      '/dag/dir:/b',
      '/dag/a:/b',
      '/dag/dir/a/c:/b',
      'name:/b',
      '/abs:/b'
    ])
    expect(bind('~/a:/b', '/dag')).to.match(/^\/.*\/a:\/b$/)
  })
  it("10.2.1: DOCKER_HOST of the server's environment, else the default socket", () => {
    expect(connectionOptions({})).to.include({ socketPath: '/var/run/docker.sock', host: undefined })
    expect(connectionOptions({ DOCKER_HOST: 'unix:///a.sock' })).to.include({ socketPath: '/a.sock' })
    expect(connectionOptions({ DOCKER_HOST: 'tcp://h:1' })).to.include({ host: 'h', port: '1', protocol: 'http' })
    expect(connectionOptions({ DOCKER_HOST: 'h', DOCKER_TLS_VERIFY: '1' })).to.include({
      port: '2376',
      protocol: 'https'
    })
    expect(connectionOptions({ DOCKER_HOST: 'ssh://u@h' })).to.include({ host: 'h', username: 'u', protocol: 'ssh' })
    expect(() => connectionOptions({ DOCKER_HOST: 'tcp://[' })).to.throw(/^DOCKER_HOST: wanted/)
  })
  it('an error is reported in the words of the Docker engine', () => {
    const error = Object.assign(new Error('(HTTP code 404) no such container - No such image: x '), { statusCode: 404 })
    expect(reasonOf(error)).to.equal('No such image: x')
  })
  it('10.2.13: frames are put together, however the stream is cut', async () => {
    const frame = (kind: number, text: string) => {
      const head = Buffer.alloc(8)
      head[0] = kind
      head.writeUInt32BE(Buffer.byteLength(text), 4)
      return Buffer.concat([head, Buffer.from(text)])
    }
    const bytes = Buffer.concat([
      frame(1, 'out'),
      frame(1, ' and'),
      frame(2, 'err'),
      frame(1, 'x'.repeat(100)),
      frame(2, '')
    ])
    for (let size = 1; size <= bytes.length; size++) {
      const texts = { stdout: '', stderr: '' }
      for await (const piece of pieces(cut(bytes, size), false)) texts[piece.from] += piece.bytes
      expect(texts, `${size}`).to.deep.equal({ stdout: `out and${'x'.repeat(100)}`, stderr: 'err' })
    }
  })
})

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
