/** The folder of definitions: what has changed is read again, and nothing else is looked at. Source: execution-semantics 11.15, architecture 6. */
import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { openDefinitions } from '../../src/definitions/definitions.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

const NOBODY = 65_534

const text = (command: string) => `steps:\n  - name: s\n    command: ${command}\n`

describe('definitions › 11.15 changes of the folder', () => {
  /** A clock that a test sets ahead. */
  function opened() {
    const home = temporaryFolder()
    const folder = join(home, 'dags')
    mkdirSync(folder)
    let ahead = 0
    /** Of each part of a rescan but the last, ms of this clock: each look at it takes one. */
    const parts: number[] = []
    let began = 0
    const soon = (next: () => void) => {
      parts.push(ahead - began)
      systemClock.soon(() => {
        began = ahead
        next()
      })
    }
    const clock = {
      ...systemClock,
      soon,
      elapsed: () => systemClock.elapsed() + ahead++,
      now: () => systemClock.now() + 1_000
    }
    const definitions = openDefinitions(folder, join(home, 'base.yaml'), clock)
    const later = () => {
      ahead += 60_001
      began = ahead
    }
    const commands = () =>
      definitions.list().map(({ fileName, spec }) => `${fileName} ${/command: (.*)/.exec(spec)?.[1]}`)
    return { home, folder, definitions, later, commands, parts }
  }

  it('P6 in a folder that cannot be looked into nothing is said to exist: whoever creates or renames there is refused', async () => {
    const { folder, definitions } = opened()
    rmSync(folder, { recursive: true })
    symlinkSync(folder, folder) // a link in a circle is closed to every user
    const refusal = `the definitions folder ${folder} cannot be written: links in its path lead in a circle`
    const created = await definitions.create('a', text('echo')).catch((error) => error)
    expect(created).to.be.instanceOf(TroupeError).and.include({ code: 'service_unavailable', message: refusal })
    for (const change of [() => definitions.rename('a', 'b'), () => definitions.checkFree('b')])
      expect(change).to.throw(TroupeError, refusal).with.property('code', 'service_unavailable')
    definitions.close()
  })

  it('P6 a folder that may not be written is named, whatever was to be changed in it', async () => {
    const { folder, definitions, home } = opened()
    writeFileSync(join(folder, 'a.yaml'), text('echo'))
    const refusal = `the definitions folder ${folder} cannot be written: permission denied`
    const refused = (change: () => unknown) =>
      expect(change).to.throw(TroupeError, refusal).with.property('code', 'service_unavailable')
    const refusedLate = async (change: Promise<unknown>) =>
      expect(await change.catch((error) => error)).to.include({ code: 'service_unavailable', message: refusal })
    for (const [path, mode] of [
      [home, 0o755],
      [folder, 0o555],
      [join(folder, 'a.yaml'), 0o644]
    ] as const)
      chmodSync(path, mode)
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(NOBODY) // whom permissions hold for
    try {
      await refusedLate(definitions.create('b', text('echo')))
      await refusedLate(definitions.replace('a', text('true')))
      refused(() => definitions.rename('a', 'b'))
      refused(() => definitions.remove('a'))
    } finally {
      if (isRoot) process.seteuid?.(0)
      definitions.close()
    }
    expect(readdirSync(folder)).to.deep.equal(['a.yaml'])
  })

  it('1.6.4 a file that is not UTF-8 is listed with its problem, and refused wherever it is read', async () => {
    const { folder, definitions, home } = opened()
    const path = join(folder, 'latin.yaml')
    writeFileSync(path, Buffer.from('steps:\n  - echo caf\xe9\n', 'latin1'))
    const problem = {
      message: 'wanted UTF-8, found the byte 0xE9: save the file as UTF-8',
      path: '',
      line: 2,
      column: 13
    }
    const [listed] = definitions.list()
    expect(listed).to.include({ fileName: 'latin' })
    expect(listed?.definition.problems).to.deep.equal([problem])
    expect((await definitions.readFile(path)).definition).to.deep.include({ name: 'latin', problems: [problem] })
    expect((await definitions.checkFile(path)).problems).to.deep.equal([problem])
    writeFileSync(join(home, 'base.yaml'), Buffer.from('group: \xe9\n', 'latin1'))
    expect((await definitions.read('steps: []', {})).problems[0]?.message).to.equal(
      `failed to read base config: ${problem.message} (line 1, column 8)`
    )
  })

  it('a pipe that is named as a file is refused, not waited for', async () => {
    const { definitions, home } = opened()
    const path = join(home, 'pipe.yaml')
    execFileSync('mkfifo', [path])
    expect((await definitions.readFile(path)).definition.problems).to.deep.equal([
      { message: 'the file cannot be read: wanted a file, found a pipe', path: '' }
    ])
  })

  it('added, changed and removed files are noticed by file watching; the list is the same as long as none has changed', async () => {
    const { folder, definitions, commands } = opened()
    for (const name of ['b.yaml', 'a-b.yml', 'a.yaml']) writeFileSync(join(folder, name), text('x'))
    expect(commands()).to.deep.equal(['a x', 'a-b x', 'b x'])
    const before = definitions.list()
    writeFileSync(join(folder, 'notes.txt'), 'no definition')
    expect(definitions.list()).to.equal(before)
    writeFileSync(join(folder, 'a.c.yaml'), text('new'))
    writeFileSync(join(folder, 'b.yaml'), text('changed'))
    rmSync(join(folder, 'a-b.yml'))
    const all = await eventually('the changes', () =>
      commands().includes('b changed') && commands().length === 3 ? commands() : undefined
    )
    expect(all).to.deep.equal(['a x', 'a.c new', 'b changed'])
    expect(
      readdirSync(folder)
        .filter((name) => name.startsWith('a'))
        .sort()
    ).to.deep.equal(['a.c.yaml', 'a.yaml'])
    definitions.close()
  })
  it('files whose names definitions cannot have come and go like others; hidden ones and those of other kinds stay out', async () => {
    const { folder, definitions } = opened()
    const undecoded = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('b\u00fc.yaml', 'latin1')])
    const names = () => definitions.list().map(({ fileName }) => fileName)
    for (const name of ['.hidden.yaml', '.yaml', 'notes.txt', 'sp ace.yml', '-lead.yaml'])
      writeFileSync(join(folder, name), text('x'))
    writeFileSync(undecoded, text('x'))
    expect(names()).to.deep.equal(['-lead', 'b\ufffd', 'sp ace'])
    const [lead, ...others] = definitions.list()
    expect(lead?.definition.plan?.name).to.equal('-lead')
    for (const { definition } of others) {
      expect(definition.plan).to.equal(undefined)
      expect(definition.problems.map(({ message }) => message).join()).to.match(
        /^file name: wanted .*: rename the file$/
      )
    }
    writeFileSync(join(folder, 'new one.yaml'), text('x'))
    for (const path of [undecoded, join(folder, 'sp ace.yml')]) rmSync(path)
    await eventually('the changes', () => (names().join() === '-lead,new one' ? true : undefined))
    definitions.close()
  })
  it('what the watch has missed is found by the 60 s rescan', async () => {
    const { home, folder, definitions, later, commands } = opened()
    writeFileSync(join(home, 'elsewhere'), text('x'))
    linkSync(join(home, 'elsewhere'), join(folder, 'a.yaml'))
    expect(commands()).to.deep.equal(['a x'])
    writeFileSync(join(home, 'elsewhere'), text('missed')) // a change by another name is not told
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(commands()).to.deep.equal(['a x'])
    later()
    await eventually('the rescan', () => (commands()[0] === 'a missed' ? true : undefined))
    definitions.close()
  })
  it('a rescan blocks the event loop for 10 ms at a time however many files there are, and nobody waits for it', async () => {
    const { home, folder, definitions, later, parts } = opened()
    for (let n = 0; n < 2_000; n++) writeFileSync(join(folder, `d${n}.yaml`), '')
    writeFileSync(join(home, 'elsewhere'), text('x'))
    linkSync(join(home, 'elsewhere'), join(folder, 'last.yaml'))
    expect(definitions.list()).to.have.length(2_001)
    writeFileSync(join(home, 'elsewhere'), text('missed')) // a change by another name is not told
    later()
    const isFound = () => definitions.list().some(({ spec }) => spec.includes('missed')) || undefined
    expect(isFound()).to.equal(undefined)
    await eventually('the rescan', isFound)
    expect(parts.length).to.be.above(2_001 / 11)
    expect(Math.max(...parts)).to.be.at.most(11)
    definitions.close()
  })
})
