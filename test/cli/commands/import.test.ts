/** `troupe import` as users call it. Source: docs/cli.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { daguHome } from '../../import/scene.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('troupe import', () => {
  const called = async (folder: string, ...argv: string[]) => {
    const { code, written } = program(folder, { ENGINE_HOME: join(folder, 'home') }, 'import', ...argv)
    return { code: await code, ...written }
  }

  it('dagu: --json has every entry with its place; --into is the home that it comes into; --quiet prints nothing', async () => {
    const [folder, from] = [temporaryFolder(), daguHome()]
    const { code, out } = await called(folder, 'dagu', '--home', from, '--into', 'other', '--json', '--dry-run')
    expect(code, 'something is left to be done').to.equal(3)
    const report = JSON.parse(out)
    expect(report).to.deep.include({ from, home: join(folder, 'other'), dryRun: true, files: [], runs: 0, queued: [] })
    expect(report.entries).to.deep.include({
      part: 'configuration',
      kind: 'left',
      what: 'config.yaml',
      line: 11,
      at: 'config.yaml:11',
      text: 'ui.navbarTitle has no effect here yet',
      advice: 'leave it out'
    })
    expect(existsSync(join(folder, 'other'))).to.equal(false)
    const quiet = await called(folder, 'dagu', '--home', from, '--only', 'definitions,flags', '--quiet')
    expect(quiet).to.deep.equal({ code: 0, out: '', err: '' })
    expect(existsSync(join(folder, 'home', 'dags', 'ok.yaml'))).to.equal(true)
    expect(existsSync(join(folder, 'home', 'base.yaml'))).to.equal(false)
  })
  it('dagu: without --home its home is found as Dagu finds it', async () => {
    const [folder, from] = [temporaryFolder(), daguHome()]
    const { code, written } = program(
      folder,
      { DAGU_HOME: from, DAGU_PORT: '9000', ENGINE_HOME: join(folder, 'home') },
      'import',
      'dagu'
    )
    expect(await code, written.err).to.equal(3)
    expect(written.out).to.contain('DAGU_PORT: it is port')
    expect(readFileSync(join(folder, 'home', 'config.yaml'), 'utf8')).to.contain('port: "9000"')
    expect((await called(temporaryFolder(), 'dagu')).err).to.match(/^Error: wanted the home of Dagu, found nothing at /)
  })
  it('crontab: a file whose lines have a user, stdin, and nothing at all', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'tab'), '0 0 * * * nobody true\n')
    const { code, out } = await called(folder, 'crontab', 'tab', '--user-column', '--home', 'there')
    expect(code).to.equal(0)
    expect(out).to.contain('it runs as nobody by sudo')
    expect(readFileSync(join(folder, 'there', 'dags', 'job.yaml'), 'utf8')).to.contain('sudo -n -H -u nobody')
    expect((await called(folder, 'crontab', '-')).out).to.contain('nothing was found')
  })
  it('crontab: exit code 3 when something needs work, which is named first; 0 when nothing does', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'tab'), 'MAILTO=root\n0 0 * * * /x/one\n')
    for (const flags of [['--dry-run'], ['--json', '--dry-run'], ['--quiet', '--dry-run'], []]) {
      const { code, out } = await called(folder, 'crontab', 'tab', ...flags)
      expect(code, flags.join(' ')).to.equal(3)
      if (flags.length === 0) expect(out.indexOf('does not come over')).to.be.within(0, out.indexOf('one.yaml'))
    }
    writeFileSync(join(folder, 'clean'), '0 0 * * * /x/two\n')
    expect((await called(folder, 'crontab', 'clean')).code).to.equal(0)
  })
  it('what it does not take is refused by name', async () => {
    const folder = temporaryFolder()
    const refusals: [string[], string][] = [
      [['dago'], 'import: wanted dagu or crontab, found dago; did you mean dagu?'],
      [['dagu', 'extra'], 'import dagu: wanted nothing more, found extra; --home names the home of Dagu'],
      [
        ['dagu', '--only', 'all'],
        '--only: wanted some of definitions, base, configuration, flags, history, logs, queues, found "all"'
      ],
      [['dagu', '--from', '2'], '--from: wanted a release of Dagu such as 2.15 or 1.30, found "2"'],
      [['crontab', 'tab', '--from', '1.30'], 'import crontab: --from is for import dagu'],
      [['crontab', 'tab', '--enqueue'], 'import crontab: --enqueue is for import dagu'],
      [['crontab', 'nowhere'], `wanted a crontab, found nothing at ${join(folder, 'nowhere')}`]
    ]
    for (const [argv, message] of refusals) {
      const { code, err } = await called(folder, ...argv)
      expect({ code, err }).to.deep.equal({ code: 1, err: `Error: ${message}\n` })
    }
  })
})
