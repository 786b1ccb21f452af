/** `troupe audit`: a home that keeps no log says so, and one entry is not several. Source: docs/operating/audit.md. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { enterAlone } from '../../../src/audit/alone.ts'
import { maskOf } from '../../../src/audit/bounded.ts'
import { run } from '../../../src/cli/commands/audit/audit.ts'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { systemClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { fakeCliEngine, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

async function audit(home: string, environment: Record<string, string>, ...argv: string[]) {
  const here = stage(home, fakeCliEngine(home))
  const command = commands.find(({ name }) => name === 'audit')
  if (!command) throw new Error('no command audit')
  const configure: typeof here.configure = (settings) => readConfig({ home, ...settings }, environment)
  const code = await run(await readArguments(command, argv), { ...here, configure })
  return { code, out: here.written.out }
}

describe('troupe audit', () => {
  it('where none is kept, the list and verify say so', async () => {
    const home = temporaryFolder()
    const none = 'no audit log is kept: audit.enabled is off\n'
    expect(await audit(home, {})).to.deep.equal({ code: 0, out: none })
    expect(await audit(home, {}, 'verify')).to.deep.equal({ code: 0, out: `${join(home, 'audit')}: ${none}` })
    const { out } = await audit(home, { ENGINE_AUDIT_ENABLED: 'true' }, 'verify')
    expect(out).to.equal(`${join(home, 'audit')}: no entries\n`)
  })

  it('one entry is verified as one', async () => {
    const home = temporaryFolder()
    const { dataDir, audit: kept } = readConfig({ home }, {})
    mkdirSync(dataDir, { recursive: true })
    await enterAlone(
      { dir: kept.dir, retentionDays: kept.retentionDays, mask: maskOf({}), dataDir, clock: systemClock },
      [{ principal: { kind: 'owner', name: 'ann' }, door: 'cli', operation: 'backUpHome', outcome: 'done' }]
    )
    expect((await audit(home, {}, 'verify')).out).to.contain(`${join(home, 'audit')}: 1 entry, 1 to 1, as they were`)
  })
})
