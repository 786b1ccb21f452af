/** A restore takes what the manifest of the backup lists, and nothing else. Source: reliability T5. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Manifest, manifestPath, readManifest } from '../../src/backup/manifest.ts'
import { temporaryFolder } from '../support/homes.ts'
import { backedUp, ECHO, livedInHomeCopy, refusal, restored } from '../support/store/backups.ts'

const SCHEDULED = 'schedule: "* * * * *"\nsteps:\n  - id\n'

describe('restore › what the manifest lists', () => {
  let whole = ''
  before(async () => {
    const home = await livedInHomeCopy()
    writeFileSync(join(home, 'dags', 'd.yaml'), ECHO)
    symlinkSync('nowhere', join(home, 'dags', 'kept-link'))
    whole = join(temporaryFolder(), 'b')
    await backedUp(home, whole)
  })

  /** What the restore of a changed copy is answered with; nothing is to be left of it. */
  async function refused(change: (backup: string) => void): Promise<string> {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    cpSync(whole, backup, { recursive: true, verbatimSymlinks: true })
    change(backup)
    const answer = await refusal(restored(backup, other))
    expect(readdirSync(other)).to.deep.equal([])
    return answer
  }
  const listed = (backup: string, change: (manifest: Manifest) => void) => {
    const manifest = readManifest(backup)
    change(manifest)
    writeFileSync(manifestPath(backup), JSON.stringify(manifest))
  }

  it('links are listed with what they name, and come back as they were', async () => {
    expect(readManifest(whole).links).to.deep.equal([{ path: 'definitions/kept-link', target: 'nowhere' }])
    const other = temporaryFolder()
    await restored(whole, other)
    expect(readdirSync(join(other, 'dags')).sort()).to.deep.equal(['d.yaml', 'kept-link'])
    expect(readlinkSync(join(other, 'dags', 'kept-link'))).to.equal('nowhere')
    expect(readFileSync(join(other, 'dags', 'd.yaml'), 'utf8')).to.equal(ECHO)
  })

  const more: [what: string, change: (backup: string) => void, path: string][] = [
    [
      'a definition',
      (backup) => writeFileSync(join(backup, 'definitions', 'evil.yaml'), SCHEDULED),
      'definitions/evil.yaml, a file'
    ],
    ['a link', (backup) => symlinkSync('/etc', join(backup, 'definitions', 'lnk')), 'definitions/lnk, a link to /etc'],
    [
      'a file in a folder that is new',
      (backup) => {
        mkdirSync(join(backup, 'definitions', 'sub'))
        writeFileSync(join(backup, 'definitions', 'sub', 'evil.yaml'), SCHEDULED)
      },
      'definitions/sub/evil.yaml, a file'
    ],
    ['a base file', (backup) => writeFileSync(join(backup, 'base.yaml'), 'env: [A: 1]\n'), 'base.yaml, a file'],
    ['settings', (backup) => writeFileSync(join(backup, 'config.yaml'), 'port: 1\n'), 'config.yaml, a file'],
    [
      'a write-ahead file',
      (backup) => writeFileSync(join(backup, 'store', 'write-ahead'), ''),
      'store/write-ahead, a file'
    ],
    ['a file beside its parts', (backup) => writeFileSync(join(backup, 'other'), ''), 'other, a file'],
    [
      'a pipe',
      (backup) => void execFileSync('mkfifo', [join(backup, 'definitions', 'p.yaml')]),
      'definitions/p.yaml, something that is no file'
    ],
    ['a part that is a link', (backup) => symlinkSync('/etc', join(backup, 'suspend')), 'suspend, a link to /etc']
  ]
  for (const [what, change, path] of more)
    it(`${what} that is not listed is refused by name`, async () => {
      expect(
        await refused((backup) => {
          rmSync(join(backup, path.split(',')[0] ?? ''), { recursive: true, force: true })
          change(backup)
        })
      ).to.equal(
        `bad_request: the backup has more in it than was written: ${path}; take it out when you know what it is, or use another one`
      )
    })

  const other: [what: string, change: (backup: string) => void, says: RegExp][] = [
    [
      'a listed file that is a link by now, also to the same content',
      (backup) => {
        writeFileSync(join(backup, '..', 'same.yaml'), ECHO)
        rmSync(join(backup, 'definitions', 'd.yaml'))
        symlinkSync('../../same.yaml', join(backup, 'definitions', 'd.yaml'))
      },
      /definitions\/d\.yaml is a link to \.\.\/\.\.\/same\.yaml, which is not what was written/
    ],
    [
      'a listed file that is a pipe by now',
      (backup) => {
        rmSync(join(backup, 'definitions', 'd.yaml'))
        execFileSync('mkfifo', [join(backup, 'definitions', 'd.yaml')])
      },
      /^service_unavailable: .*definitions\/d\.yaml cannot be read: wanted a file, found a pipe/
    ],
    [
      'a listed link that names something else by now',
      (backup) => {
        rmSync(join(backup, 'definitions', 'kept-link'))
        symlinkSync('/etc/passwd', join(backup, 'definitions', 'kept-link'))
      },
      /definitions\/kept-link is a link to \/etc\/passwd, which is not what was written/
    ],
    [
      'a listed link that is gone',
      (backup) => rmSync(join(backup, 'definitions', 'kept-link')),
      /kept-link is missing/
    ],
    ['a listed file that is gone', (backup) => rmSync(join(backup, 'definitions', 'd.yaml')), /d\.yaml is missing/],
    [
      'a folder in its place that is a link',
      (backup) => {
        cpSync(join(backup, 'definitions'), join(backup, '..', 'elsewhere'), {
          recursive: true,
          verbatimSymlinks: true
        })
        rmSync(join(backup, 'definitions'), { recursive: true })
        symlinkSync('../elsewhere', join(backup, 'definitions'))
      },
      /more in it than was written: definitions, a link to \.\.\/elsewhere/
    ],
    [
      'a manifest that leads outside',
      (backup) => listed(backup, ({ files }) => files.push({ path: 'definitions/../../x', bytes: 0, sha256: '' })),
      /it lists "definitions\/\.\.\/\.\.\/x", which leads elsewhere/
    ],
    [
      'a manifest with an absolute path',
      (backup) => listed(backup, ({ files }) => files.push({ path: '/etc/passwd', bytes: 0, sha256: '' })),
      /it lists "\/etc\/passwd", which leads elsewhere/
    ],
    [
      'a manifest with a path in no part',
      (backup) => listed(backup, ({ files }) => files.push({ path: 'bin/x', bytes: 0, sha256: '' })),
      /it lists "bin\/x", which is in no part of a home/
    ],
    [
      'a manifest that lists a path twice',
      (backup) => listed(backup, ({ files, links }) => links?.push({ path: files[0]?.path ?? '', target: '/etc' })),
      /it lists ".*" twice/
    ],
    [
      'a manifest whose list is none',
      (backup) => listed(backup, (manifest) => Object.assign(manifest, { links: 'all' })),
      /manifest\.json cannot be read/
    ]
  ]
  for (const [what, change, says] of other)
    it(`${what} is refused`, async () => {
      expect(await refused(change))
        .to.match(/^(bad_request|service_unavailable): /)
        .and.match(says)
    })

  it('a backup of a release that listed no links is restored; one with links in it names the first', async () => {
    const older = (backup: string) => listed(backup, (manifest) => delete manifest.links)
    expect(await refused(older)).to.contain('definitions/kept-link, a link to nowhere')
    const [backup, home] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    cpSync(whole, backup, { recursive: true, verbatimSymlinks: true })
    older(backup)
    rmSync(join(backup, 'definitions', 'kept-link'))
    expect((await restored(backup, home)).runs).to.equal(1)
  })
})
