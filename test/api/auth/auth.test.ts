/** Who gets in with name and password, and what is open to all. Source: api-semantics 9.1; http-api "Authentication". */
import { randomBytes, scryptSync } from 'node:crypto'
import { expect } from 'chai'
import { PUBLIC_PATHS } from '../../../src/api/contract/operations.ts'
import { apiWith, basicHeader } from '../api-with.ts'

describe('API › authentication: basic', () => {
  const { send, status } = apiWith({ 'auth.basic.username': 'admin', 'auth.basic.password': 'pass:word é' })

  it('missing or invalid credentials give 401 unauthorized, with a JSON body and WWW-Authenticate', async () => {
    for (const header of [
      undefined,
      '',
      'Basic',
      'Basic !!!',
      basicHeader('admin', 'pass:word'),
      basicHeader('Admin', 'pass:word é'),
      basicHeader('', ''),
      'Bearer pass:word'
    ]) {
      const { status, headers, json } = await send('GET', '/dags', header)
      expect(status, header).to.equal(401)
      expect(headers['www-authenticate']).to.equal('Basic realm="restricted"')
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(json).to.deep.equal({
        code: 'unauthorized',
        message: header ? 'the credentials are wrong' : 'wanted credentials, found none'
      })
    }
  })

  it('the right ones let the request in', async () => {
    expect(await status('GET', '/dags', basicHeader('admin', 'pass:word é'))).to.equal(200)
    expect(await status('POST', '/dags/hello/start', basicHeader('admin', 'pass:word é'))).to.equal(200)
  })

  it('S7 GET /health and its levels, the document, its page and OPTIONS are public; /metrics is not', async () => {
    const probes = ['/health', '/health/live', '/health/ready']
    expect(PUBLIC_PATHS).to.deep.equal([...probes, '/openapi.json', '/docs', '/docs.css'])
    for (const path of PUBLIC_PATHS) expect(await status('GET', path), path).to.equal(200)
    expect(await status('GET', '/health')).to.equal(200)
    expect(await status('HEAD', '/health')).to.equal(200)
    expect(await status('GET', '/health/')).to.equal(301)
    expect(await status('OPTIONS', '/dags')).to.not.equal(401)
    for (const path of ['/metrics', '/health/x', '/HEALTH', '/health%2f', '/../v2/dags', '/health/../dags', '//health'])
      expect(await status('GET', path), path).to.equal(401)
    expect(await status('POST', '/health')).to.equal(401)
  })

  it('S8 what is no route needs credentials too', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/nowhere'],
      ['GET', '/api/v1/nowhere'],
      ['PUT', '/api/v2/dags']
    ] as const)
      expect(await status(method, path, undefined, true), path).to.equal(401)
  })
})

describe('API › authentication: a hash instead of the password', () => {
  const salt = randomBytes(16)
  const hash = scryptSync('secret', salt, 32, { N: 2 ** 10, r: 8, p: 1 })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const { status } = apiWith({
    'auth.basic.username': 'admin',
    'auth.basic.passwordHash': `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`
  })
  it('S5 auth.basic.passwordHash (scrypt)', async () => {
    expect(await status('GET', '/dags', basicHeader('admin', 'wrong'))).to.equal(401)
    expect(await status('GET', '/dags', basicHeader('admin', 'secret'))).to.equal(200)
    expect(await status('GET', '/dags', basicHeader('other', 'secret'))).to.equal(401)
    expect(await status('GET', '/dags', basicHeader('admin', 'secret'))).to.equal(200)
    const all = ['secret', 'wrong', 'secret'].map((password) => status('GET', '/dags', basicHeader('admin', password)))
    expect(await Promise.all(all)).to.deep.equal([200, 401, 200])
  })
})
