/** `troupe doctor --before-upgrade`: what to know before this release takes a home over. Source: docs/operating/upgrade.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PlainFinding } from '../../src/doctor/finding.ts'
import { STORE_VERSION } from '../../src/store/store-version.ts'
import { VERSION } from '../../src/version.ts'
import { PROGRAM } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Life, newLife } from '../support/releases/life.ts'
import { installedRelease } from '../support/releases/recorded-program.ts'
import { damage } from '../support/store/lived-in-home.ts'

async function looked(life: Life, ...words: string[]): Promise<{ code: number | null; found: string[] }> {
  const { code, out } = await life.command(PROGRAM, 'doctor', '--before-upgrade', '--json', ...words)
  const { findings }: { findings: PlainFinding[] } = JSON.parse(out)
  const found = findings.map(({ check, severity, message, mending }) =>
    `${severity} ${check}: ${message}: ${mending}`.replaceAll(life.home, '<home>')
  )
  return { code, found }
}

describe('doctor › before an upgrade', function () {
  this.timeout(120_000)

  it('it says whose home it is, what is running, which definitions and settings this release takes otherwise, and whether there is a backup', async () => {
    const old = await installedRelease('0.4.0')
    const life = newLife()
    writeFileSync(join(life.home, 'config.yaml'), 'moon: true\n', { mode: 0o600 })
    writeFileSync(join(life.home, 'dags', 'broken.yaml'), 'steps: [{command: echo, colour: red}]\n')
    const server = await life.serve(old)
    await life.begin(server)
    const { code, found } = await looked(life)
    expect(code).to.equal(3)
    expect(found[0]).to.equal(
      `note upgrade: the home is of an older release (store version 4); this is Troupe ${VERSION} (store version ${STORE_VERSION}): ` +
        'the first start of this release raises the version: after that, older releases refuse the home, and only a backup leads back'
    )
    expect(found[1]).to.match(
      /^note upgrade: the engine with process id \d+ is running \(an older release\): end it with SIGTERM/
    )
    // Four steps of local processes, or three while one waits for its retry; the calling one and the repeating one wait.
    expect(found[2]).to.match(
      /^note upgrade: 6 runs are running and 1 are queued, with \d steps at work and \d that wait: this release goes on with them/
    )
    const warnings = found.filter((one) => /^warning (?!permissions)/.test(one)) // 0.4 left the modes of its files to the umask
    expect(warnings).to.have.length(3)
    expect(warnings[0]).to.match(/^warning configuration: <home>\/config\.yaml:1:1: unknown setting/)
    expect(warnings[1]).to.match(/^warning definitions: definition broken cannot run: /)
    expect(warnings[2]).to.match(/^warning backup: no backup was named: take one with the release that the home is of/)

    const backup = join(temporaryFolder(), 'before')
    expect((await life.command(old, 'backup', backup)).code).to.equal(0)
    expect((await looked(life, '--backup', backup)).found.at(-1)).to.equal(
      `note backup: the backup ${backup}, taken by Troupe 0.4.0 0 hours ago with 7 runs: the way back: troupe restore ${backup} --replace`
    )
    const elsewhere = newLife()
    const wrong = await looked(elsewhere, '--backup', backup)
    expect(wrong.code).to.equal(2)
    expect(wrong.found.at(-1)).to.match(/^error backup: .* is of another home: /)
    expect((await looked(life, '--backup', life.home)).found.at(-1)).to.match(/^error backup: <home> is no backup: /)
    life.go()
    await server.end('SIGTERM')
  })

  it('a home of this release needs no way back, and workers of other releases are named', async () => {
    const life = newLife()
    const server = await life.serve(PROGRAM)
    await server.end('SIGTERM')
    await damage(life.home, ({ workers }) =>
      workers.put('0123456789abcdef', {
        state: 'serving.healthy',
        session: '1-a',
        greetedAt: 1,
        heardAt: 1,
        refusal: '',
        self: { id: 'gpu-1', labels: {}, slots: 1, version: '0.4.9', host: 'h', pid: 1, executors: [] }
      })
    )
    const { found } = await looked(life)
    expect(found[0]).to.contain('nothing is converted: the release before can take the home back')
    expect(found.filter((one) => one.includes('worker'))).to.deep.equal([
      'note upgrade: worker gpu-1 is of Troupe 0.4.9: update it after the server: troupe worker drain, then this release in the same home; until then it serves if the protocols agree'
    ])
  })

  it('it is for the machine of the home, and changes nothing', async () => {
    const life = newLife()
    for (const [words, why] of [
      [['--before-upgrade', '--fix'], '--fix and --before-upgrade are two steps'],
      [['--backup', 'x'], '--backup is looked at with --before-upgrade only'],
      [['--before-upgrade', '--url', 'http://127.0.0.1:1'], 'without --url']
    ] as const) {
      const { code, err } = await life.command(PROGRAM, 'doctor', ...words)
      expect(code, words.join(' ')).to.equal(1)
      expect(err).to.contain(why)
    }
  })
})
