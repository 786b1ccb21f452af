/** Backup and restore on the command line, and their warnings about restored settings. Source: reliability T5. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { takeBackup } from '../../src/backup/backup.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createEngine } from '../../src/index.ts'
import { program } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'
import { ECHO, livedInHomeCopy } from '../support/store/backups.ts'

describe('backup and restore', () => {
  it('troupe backup beside a server, troupe restore elsewhere, as users call them', async () => {
    const [served, backup, other] = [temporaryFolder(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const engine = await createEngine({ home: served, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r1' }))
    const taking = program(served, { ENGINE_HOME: served }, 'backup', backup)
    expect(await taking.code, taking.written.err).to.equal(0)
    expect(taking.written.out).to.match(
      /^\S+: 1 run, \d+ files, \d+\.\d MiB; every entry was read, while an engine was running\n$/
    )
    await engine.close()
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup, '--json')
    expect(await putting.code, putting.written.err).to.equal(0)
    expect(JSON.parse(putting.written.out)).to.deep.include({ home: other, runs: 1, problems: [] })
    const status = program(other, { ENGINE_HOME: other }, 'status', 'small')
    expect(await status.code, status.written.err).to.equal(0)
    expect(status.written.out).to.contain('succeeded')
  })

  it('restored settings that name other paths are a warning; --quiet prints nothing, with --json too', async () => {
    const [from, backup, other, flows] = [
      await livedInHomeCopy(),
      join(temporaryFolder(), 'b'),
      temporaryFolder(),
      temporaryFolder()
    ]
    writeFileSync(join(flows, 'a.yaml'), ECHO)
    writeFileSync(join(from, 'config.yaml'), `paths: {dagsDir: ${flows}}\n`)
    const taking = program(from, { ENGINE_HOME: from }, 'backup', backup, '--json', '--quiet')
    expect({ code: await taking.code, ...taking.written }).to.deep.equal({ code: 0, out: '', err: '' })
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup, '--json', '--quiet')
    const dags = join(other, 'dags')
    expect({ code: await putting.code, ...putting.written }).to.deep.equal({
      code: 0,
      out: '',
      err: `warning: ${join(other, 'config.yaml')} came with the backup and sets paths.dagsDir to ${flows}: engines look there, what was restored is at ${dags}; take it out, or move that there\n`
    })
    expect(readdirSync(dags)).to.deep.equal(['a.yaml'])
    const doctor = program(other, { ENGINE_HOME: other }, 'doctor', '--json', '--quiet')
    expect({ code: await doctor.code, ...doctor.written }).to.deep.equal({ code: 0, out: '', err: '' })
  })

  it('restored settings that cannot be read here are a warning', async () => {
    const [from, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    writeFileSync(join(from, 'config.yaml'), 'host: "${THERE}"\n')
    await takeBackup(readConfig({ home: from }, { THERE: '127.0.0.1' }), systemClock, backup, { version: 'test' })
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup)
    expect(await putting.code).to.equal(0)
    expect(putting.written.err).to.match(
      /^warning: the settings came with the backup, and no engine takes them here: .*the variable THERE is not set\n$/
    )
    expect(putting.written.out).to.match(/: 1 run as of /)
  })
})
