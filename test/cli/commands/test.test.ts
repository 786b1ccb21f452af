/** `troupe test`: which files it plays, what it prints, and its exit code. Source: embedding 3, api-semantics 11. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../src/cli/commands/tests/test.ts'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { systemClock } from '../../../src/clock.ts'
import { fakeCliEngine, settled, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

const GOOD = 'mocks: {steps: {s: ok}}\ntests: [{name: runs, expect: {status: succeeded}}]\n'

describe('troupe test (command)', () => {
  const folder = temporaryFolder()
  before(() => {
    mkdirSync(join(folder, 'sub', 'node_modules'), { recursive: true })
    writeFileSync(join(folder, 'a.yaml'), 'steps: [{name: s, command: x}]\n')
    writeFileSync(join(folder, 'a.test.yaml'), GOOD)
    writeFileSync(join(folder, 'sub', 'b.yml'), 'steps: [{name: s, command: x}]\n')
    writeFileSync(join(folder, 'sub', 'b.test.yml'), GOOD.replace('succeeded', 'failed'))
    writeFileSync(join(folder, 'sub', 'node_modules', 'c.test.yaml'), 'no test\n')
  })
  async function called(...argv: string[]) {
    const command = commands.find(({ name }) => name === 'test')
    if (!command) throw new Error('no command test')
    const here = stage(folder, fakeCliEngine(folder))
    const going = run(await readArguments(command, argv), { ...here, clock: systemClock, cwd: folder })
    return { here, going, written: here.written }
  }
  async function done(...argv: string[]) {
    const { going, written } = await called(...argv)
    return { code: await going, ...written }
  }
  const refused = async (...argv: string[]) => {
    try {
      await done(...argv)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('it was not refused')
  }

  it('all files below the working folder, or the given files and folders; 0 when all pass, else 1', async () => {
    const all = await done()
    expect(all.code).to.equal(1)
    expect(all.out)
      .to.contain('a.test.yaml\n  ✓ runs')
      .and.contain('sub/b.test.yml\n  ✗ runs')
      .and.contain('1 passed, 1 failed')
    const one = await done('a.test.yaml', '--coverage')
    expect(one.code).to.equal(0)
    expect(one.out).to.contain('1 passed, 0 failed\ncoverage\na: 1 of 1 steps\n')
    expect((await done('sub', 'a.test.yaml')).out).to.contain('1 passed, 1 failed')
  })
  it('--json, --quiet, --format', async () => {
    const json = JSON.parse((await done('--json', '--coverage')).out)
    expect(json).to.include({ passed: 1, failed: 1 })
    expect(json.files[1].tests[0]).to.deep.include({ name: 'runs', ok: false })
    expect(json.coverage[0]).to.deep.equal({ dag: 'a', kind: 'step', name: 's', isReached: true })
    const quiet = await done('--quiet')
    expect([quiet.out, quiet.err.replace(/run \S+/, 'run')]).to.deep.equal([
      '',
      'sub/b.test.yml:2:31: the status of the run: wanted "failed", found "succeeded"\n'
    ])
    expect((await done('--format', 'tap', 'a.test.yaml')).out).to.contain(
      'TAP version 14\n1..1\nok 1 - a.test.yaml › runs\n'
    )
    expect((await done('--format', 'junit', 'a.test.yaml')).out).to.contain(
      '<testsuite name="a.test.yaml" tests="1" failures="0">'
    )
  })
  it('wrong files and formats are refused by name', async () => {
    expect(await refused('--format', 'html')).to.equal('test: --format: wanted text, tap or junit, found "html"')
    expect(await refused('nowhere.test.yaml')).to.equal('test: there is no file nowhere.test.yaml')
    expect(await refused('a.yaml')).to.equal('test: wanted a file NAME.test.yaml or a folder, found a.yaml')
    mkdirSync(join(folder, 'empty'), { recursive: true })
    expect(await refused('empty')).to.equal('test: there is no file *.test.yaml in empty')
  })
  it('--watch runs them again when a file changes, and ends on Ctrl-C', async () => {
    const { here, going, written } = await called('--watch', 'a.test.yaml')
    const until = async (count: number) => {
      while (written.out.split('passed').length - 1 < count) await settled()
    }
    await until(1)
    writeFileSync(join(folder, 'a.yaml'), 'steps: [{name: s, command: another}]\n')
    await until(2)
    here.interrupt()
    expect(await going).to.equal(0)
  })
})
