/** The artifact service as a separate program, called like a client would. Source: execution-semantics 10.9.2 `artifacts`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type ArtifactClient, artifactClient } from '../../support/executors/artifacts.ts'
import { temporaryFolder } from '../../support/homes.ts'

const PROGRAM = fileURLToPath(new URL('../../../src/executors/gha/artifacts/server.js', import.meta.url))
const TOKEN = 'a.b.c'
const LIMIT_BYTES = 1_000

describe('gha executor › artifacts › the service', () => {
  const root = temporaryFolder()
  const folder = join(root, 'run')
  let program: ChildProcess
  let base = ''
  let client: ArtifactClient
  before(async () => {
    mkdirSync(folder)
    const settings = { folder, staging: '.staging', port: 0, token: TOKEN, limitBytes: LIMIT_BYTES }
    program = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: program.stdout ?? process.stdin }), 'line')) as [string]
    base = `http://127.0.0.1:${/^ready (?<port>\d+)$/.exec(line)?.groups?.port}`
    client = artifactClient(base, TOKEN)
  })
  after(() => program.kill())

  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
  const names = async () => (await client.list()).map(({ name }) => name)

  it('what is uploaded in blocks is put together in the order of the list, kept, listed, read again and deleted', async () => {
    await client.upload('report', [Buffer.from('one '), Buffer.from('two')], { order: [1, 0] })
    expect(readFileSync(join(folder, 'report', 'report.zip'), 'utf8')).to.equal('twoone ')
    const [listed] = await client.list()
    expect(listed).to.include({ name: 'report', size: '7', workflowRunBackendId: 'run' })
    expect(await client.list({ name_filter: 'other' })).to.deep.equal([])
    expect(await client.list({ idFilter: listed?.databaseId })).to.have.length(1)
    const read = await client.download('report')
    expect([await read.text(), read.headers.get('content-type')]).to.deep.equal(['twoone ', 'application/zip'])
    expect((await client.call('DeleteArtifact', { name: 'report' })).status).to.equal(200)
    expect([await names(), readdirSync(folder), readdirSync(join(folder, '.staging'))]).to.deep.equal([
      [],
      ['.staging'],
      []
    ])
  })
  it('one file that is not packed keeps its name; a later one of that name takes its place', async () => {
    await client.upload('a b.txt', [Buffer.from('first')], { mimeType: 'text/plain' })
    await client.upload('a b.txt', [Buffer.from('second')], { mimeType: 'text/plain' })
    expect(readFileSync(join(folder, 'a b.txt', 'a b.txt'), 'utf8')).to.equal('second')
    const { headers } = await client.download('a b.txt')
    expect(headers.get('content-disposition')).to.equal("attachment; filename*=UTF-8''a%20b.txt")
    expect(headers.get('content-type')).to.equal('application/octet-stream')
    await client.call('DeleteArtifact', { name: 'a b.txt' })
  })
  it('a name that is a path, hidden or no file name is refused in every method', async () => {
    writeFileSync(join(root, 'outside'), 'x')
    for (const name of ['../outside', '..', '.', '', '.staging', 'a/b', 'a\\b', 'a\0b', 'a\nb', 'x'.repeat(201)])
      for (const method of ['CreateArtifact', 'FinalizeArtifact', 'GetSignedArtifactURL', 'DeleteArtifact'])
        expect(await statusOf(client.call(method, { name })), `${method} ${JSON.stringify(name)}`).to.equal(400)
    expect(existsSync(join(root, 'outside'))).to.equal(true)
    expect(await names()).to.deep.equal([])
  })
  it('a caller without the token, or with another, is answered 401; an address that was not handed out 403', async () => {
    for (const token of ['', 'a.b.d', `${TOKEN} `.repeat(2)])
      expect(await statusOf(artifactClient(base, token).call('ListArtifacts', {}))).to.equal(401)
    expect(await statusOf(fetch(`${base}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`))).to.equal(
      401
    )
    for (const query of ['', '?sig=', '?sig=guess&comp=block&blockid=x'])
      expect(await statusOf(fetch(`${base}/troupe/artifacts/blob${query}`, { method: 'PUT', body: 'x' }))).to.equal(403)
  })
  it('an address to read from cannot be written to, and none to write to can be read', async () => {
    await client.upload('kept', [Buffer.from('x')])
    const { signedUrl = '' } = (await client.call('GetSignedArtifactURL', { name: 'kept' })).body
    const { signedUploadUrl = '' } = (await client.call('CreateArtifact', { name: 'kept' })).body
    expect(await statusOf(fetch(`${signedUrl}&comp=block&blockid=x`, { method: 'PUT', body: 'y' }))).to.equal(400)
    expect(await statusOf(fetch(signedUploadUrl))).to.equal(400)
    expect(await (await client.download('kept')).text()).to.equal('x')
    await client.call('DeleteArtifact', { name: 'kept' })
  })
  it('more bytes than a step may store are refused, and what was stored stays', async () => {
    await client.upload('small', [Buffer.alloc(300)])
    const { signedUploadUrl = '' } = (await client.call('CreateArtifact', { name: 'large' })).body
    const put = (size: number, id: string) =>
      statusOf(fetch(`${signedUploadUrl}&comp=block&blockid=${id}`, { method: 'PUT', body: Buffer.alloc(size) }))
    expect([await put(500, 'a'), await put(500, 'b'), await put(500, 'a'), await put(100, 'c')]).to.deep.equal([
      201, 413, 413, 201
    ])
    expect(await statusOf(client.call('FinalizeArtifact', { name: 'large', size: '600' }))).to.equal(404)
    expect(await names()).to.deep.equal(['small'])
    await client.call('DeleteArtifact', { name: 'small' })
  })
  it('what came in is not what was sent: size, digest and list are compared', async () => {
    for (const [wrong, status] of [
      [{ size: '2' }, 400],
      [{ hash: `sha256:${createHash('sha256').update('y').digest('hex')}` }, 400],
      [{ list: ['no such block'] }, 400],
      [{ list: ['AAAA', 'AAAA'] }, 400]
    ] as const)
      expect(await statusOf(client.upload('wrong', [Buffer.from('x')], wrong)), JSON.stringify(wrong)).to.equal(status)
    expect(await names()).to.deep.equal([])
  })
  it('a target that is no address is refused, and the service lives on', async () => {
    const { port } = new URL(base)
    const request = get({ host: '127.0.0.1', port, path: '//' })
    const [{ statusCode }] = await once(request, 'response')
    expect(statusCode).to.equal(400)
    expect(await names()).to.deep.equal([])
  })
  it('what is not of the protocol is refused by name', async () => {
    expect((await client.call('MigrateArtifact', { name: 'x' })).body.msg).to.equal(
      'there is no method MigrateArtifact'
    )
    expect((await client.call('ListArtifacts', 'text')).status).to.equal(400)
    const old = await fetch(`${base}/_apis/pipelines/workflows/1/artifacts`)
    expect([old.status, await old.text()].join()).to.match(/^404,.*only version 2 of the artifact service is here/)
  })
})
