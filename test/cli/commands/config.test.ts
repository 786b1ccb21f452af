/** `troupe config`: every setting, and where its value comes from. Source: api-semantics 10.2. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../src/cli/commands/config.ts'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { KEYS } from '../../../src/config/table.ts'
import { explainConfig } from '../../../src/config.ts'
import { fakeCliEngine, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

async function config(text: string, environment: Record<string, string>, ...argv: string[]) {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
  const here = stage(home, fakeCliEngine(home))
  const command = commands.find(({ name }) => name === 'config')
  if (!command) throw new Error('no command config')
  const explain: typeof here.explain = (settings) => explainConfig({ home, ...settings }, environment)
  const code = await run(await readArguments(command, argv), { ...here, explain })
  return { code, home, ...here.written }
}

describe('troupe config', () => {
  const text = 'port: 81\nprot: 3\nbasePath: eng\nauth: {token: {value: sesame}}\nui: {navbarTitle: Mine}\n'

  it('text: one line a setting with its value and source; warnings on stderr', async () => {
    const { code, home, out, err } = await config(text, { ENGINE_TZ: 'UTC' }, '--port', '82')
    expect(code).to.equal(0)
    expect(out.trimEnd().split('\n')).to.have.length(KEYS.length)
    expect(out).to.match(/^port +82 +--port$/m)
    expect(out).to.match(/^tz +UTC +ENGINE_TZ$/m)
    expect(out).to.match(new RegExp(`^basePath +/eng +${home}/config\\.yaml:3:1$`, 'm'))
    expect(out).to.match(/^host +127\.0\.0\.1$/m)
    expect(out).to.match(/^auth\.token\.value +\*\*\* /m)
    expect(out + err).to.not.contain('sesame')
    expect(err).to.equal(
      `warning: ${home}/config.yaml:2:1: unknown setting prot; did you mean port?\n` +
        'warning: not supported yet: ui.navbarTitle; an engine will not start with it\n'
    )
  })

  it('--json: one object; quiet: nothing', async () => {
    const { home, out, err } = await config(text, {}, '--json')
    const { file, settings, warnings, unsupported } = JSON.parse(out)
    expect(file).to.equal(`${home}/config.yaml`)
    expect(settings.map(({ key }: { key: string }) => key)).to.deep.equal(KEYS)
    expect(settings).to.deep.include({ key: 'port', value: 81, source: `${home}/config.yaml:1:1` })
    expect(settings).to.deep.include({ key: 'debug', value: false, source: 'default' })
    expect(settings.filter(({ value }: { value: unknown }) => value === '***')).to.have.length(1)
    expect([warnings.length, unsupported]).to.deep.equal([1, ['ui.navbarTitle']])
    expect(err).to.equal('')
    expect(await config(text, {}, '-q')).to.include({ out: '', err: '', code: 0 })
  })
})
