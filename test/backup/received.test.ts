/** A backup that is sent as an archive: what arrives is what was sent, or nothing is kept. Source: docs/http-api.md "The home of the server". */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { extract } from 'tar'
import { archiveOf } from '../../src/backup/archive.ts'
import { takeBackup } from '../../src/backup/backup.ts'
import { receiveBackup } from '../../src/backup/received.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { archiveFrom } from '../../src/cli/remote/streams.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'
import { livedInHomeCopy } from '../support/store/backups.ts'

const CHUNK = 10_000

describe('backup › an archive that is received', () => {
  let backup = ''
  let archive = Buffer.alloc(0)
  before(async () => {
    const home = await livedInHomeCopy()
    mkdirSync(join(home, 'dags', 'empty'), { recursive: true })
    writeFileSync(join(home, 'dags', 'marker.yaml'), 'steps:\n  - echo marker-in-the-archive\n')
    symlinkSync('nowhere', join(home, 'dags', 'gone.yaml'))
    backup = join(temporaryFolder(), 'b')
    await takeBackup(readConfig({ home }, {}), systemClock, backup, { version: 'test' })
    const chunks: Buffer[] = []
    for await (const chunk of archiveOf(backup)) chunks.push(chunk)
    archive = Buffer.concat(chunks)
  })

  async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
  }
  /** What it was refused with; nothing was kept. */
  async function refused(bytes: AsyncIterable<Buffer>): Promise<TroupeError> {
    const folder = temporaryFolder()
    const error = await receiveBackup(join(folder, 'a.tar'), bytes).then(
      () => expect.fail('it was taken'),
      (error) => error
    )
    expect(readdirSync(folder)).to.deep.equal([])
    return error
  }

  it('is the same, byte for byte, for its owner only; unpacked it is the backup, with its times, and can be restored', async () => {
    const target = join(temporaryFolder(), 'a.tar')
    const manifest = await receiveBackup(target, inChunks(archive))
    expect(manifest).to.deep.equal(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')))
    expect(readFileSync(target).equals(archive)).to.equal(true)
    expect(statSync(target).mode & 0o777).to.equal(0o600)
    const folder = temporaryFolder()
    await extract({ file: target, cwd: folder })
    const entries = (of: string) => readdirSync(of, { recursive: true, encoding: 'utf8' }).sort()
    expect(entries(folder)).to.deep.equal(entries(backup))
    expect(entries(folder)).to.include.members(['definitions/empty', 'definitions/gone.yaml'])
    for (const { path } of manifest.files) {
      const [one, other] = [statSync(join(folder, path)), statSync(join(backup, path))]
      expect(Math.abs(one.mtimeMs - other.mtimeMs), path).to.be.lessThan(2)
      expect(one.mode, path).to.equal(other.mode)
    }
    const home = temporaryFolder()
    const restored = await restoreBackup(readConfig({ home }, {}), systemClock, folder)
    expect(restored).to.deep.include({ runs: manifest.runs, problems: [] })
  })

  it('that breaks off anywhere, without an error even, is refused by name', async () => {
    const { length } = archive
    const ends = [
      0,
      1,
      511,
      512,
      1_500,
      Math.floor(length / 2),
      length - 1_025,
      length - 1_024,
      length - 512,
      length - 1
    ]
    for (const end of ends) {
      const { code, message } = await refused(inChunks(archive.subarray(0, end)))
      expect(code, `${end}: ${message}`).to.equal('bad_gateway')
      expect(message).to.contain('nothing was kept')
    }
  })

  it('with another byte in a file, another file or another beginning is refused by name', async () => {
    const changed = Buffer.from(archive)
    changed[changed.indexOf('marker-in-the-archive')] = 0x58
    expect((await refused(inChunks(changed))).message).to.contain(
      'definitions/marker.yaml is not what its manifest says'
    )
    const more = temporaryFolder()
    mkdirSync(join(more, 'definitions'))
    writeFileSync(join(more, 'definitions', 'added.yaml'), 'steps: []\n')
    writeFileSync(join(more, 'manifest.json'), readFileSync(join(backup, 'manifest.json')))
    expect((await refused(archiveOf(more))).message).to.contain('definitions/added.yaml is not what its manifest says')
    expect((await refused(inChunks(archive.subarray(archive.indexOf('definitions/'))))).code).to.equal('bad_gateway')
    expect((await refused(inChunks(Buffer.from('<html>sign in</html>')))).code).to.equal('bad_gateway')
  })

  it('does not replace a file, and removes what an earlier one has left', async () => {
    const target = join(temporaryFolder(), 'a.tar')
    writeFileSync(target, 'mine')
    const { code } = await receiveBackup(target, inChunks(archive)).then(
      () => expect.fail('it was taken'),
      (error: TroupeError) => error
    )
    expect([code, readFileSync(target, 'utf8')]).to.deep.equal(['already_exists', 'mine'])
    const fresh = join(temporaryFolder(), 'b.tar')
    writeFileSync(`${fresh}.unfinished`, 'half')
    await receiveBackup(fresh, inChunks(archive))
    expect(existsSync(`${fresh}.unfinished`)).to.equal(false)
  })

  describe('from a server that fails', () => {
    const answered = async (answer: (response: ServerResponse) => void) => {
      const server = createServer((_request, response) => answer(response))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const remote = { url, baseUrl: `${url}/api/v2`, token: 'sesame' }
        return await refused(archiveFrom(remote, { withLogs: true }, new AbortController().signal))
      } finally {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    }
    const tar = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'application/x-tar' })

    it('it breaks off, it ends early, it is none of ours, it refuses: each by name', async () => {
      const brokenOff = await answered((response) => {
        tar(response).write(archive.subarray(0, 5_000), () => setImmediate(() => response.destroy()))
      })
      expect(brokenOff).to.be.instanceOf(TroupeError)
      expect(brokenOff.code).to.equal('service_unavailable')
      expect(brokenOff.message).to.match(/^http:\/\/127\.0\.0\.1:\d+ has broken off, and nothing was kept: /)
      expect((await answered((response) => tar(response).end(archive.subarray(0, 5_000)))).code).to.equal('bad_gateway')
      const page = await answered((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('hello'))
      expect(page.message).to.contain('is no server of Troupe, or a proxy answers for it: ')
      const refusal = { code: 'forbidden', message: 'the token ci may not write' }
      const forbidden = await answered((response) =>
        response.writeHead(403, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal))
      )
      expect(forbidden).to.include(refusal)
    })
  })
})
