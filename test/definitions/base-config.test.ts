/** The base configuration as it lies on disk, and definitions read over it. Source: execution-semantics 1.2.1. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Clock, systemClock } from '../../src/clock.ts'
import { openBaseConfig } from '../../src/definitions/base-config.ts'
import { openDefinitions } from '../../src/definitions/definitions.ts'
import { temporaryFolder } from '../support/homes.ts'

/** In whose eyes every file is old enough for its stamp to be trusted. */
const later: Clock = { ...systemClock, now: () => Date.now() + 60_000 }

describe('base configuration › the file (1.2.1)', () => {
  it('a missing file is fine', () => {
    expect(openBaseConfig(join(temporaryFolder(), 'base.yaml'), systemClock)()).to.deep.equal({ identity: '' })
  })
  it('its text and path are what the reader is given; a change is seen, whatever the stamp says', () => {
    const path = join(temporaryFolder(), 'base.yaml')
    const look = openBaseConfig(path, systemClock)
    writeFileSync(path, 'maxActiveRuns: 1')
    const first = look()
    expect(first.base).to.deep.equal({ text: 'maxActiveRuns: 1', path })
    writeFileSync(path, 'maxActiveRuns: 2')
    utimesSync(path, 0, 0)
    expect(look().base?.text).to.equal('maxActiveRuns: 2')
    expect(look().identity).not.to.equal(first.identity)
    rmSync(path)
    expect(look()).to.deep.equal({ identity: '' })
  })
  it('it is read once as long as it stays', () => {
    const path = join(temporaryFolder(), 'base.yaml')
    const look = openBaseConfig(path, later)
    writeFileSync(path, 'group: a')
    expect(look()).to.equal(look())
    writeFileSync(path, 'group: abc')
    expect(look().base?.text).to.equal('group: abc')
  })
  it('an unreadable one: failed to read base config', () => {
    const path = join(temporaryFolder(), 'base.yaml')
    mkdirSync(path)
    expect(openBaseConfig(path, systemClock)().problem).to.equal(
      'failed to read base config: wanted a file, found something else'
    )
    rmSync(path, { recursive: true })
    writeFileSync(path, '#'.repeat(1024 * 1024 + 1))
    expect(openBaseConfig(path, systemClock)().problem).to.match(
      /^failed to read base config: wanted at most 1048576 bytes/
    )
  })
})

describe('base configuration › definitions over it', () => {
  function scene() {
    const home = temporaryFolder()
    const base = join(home, 'base.yaml')
    mkdirSync(join(home, 'dags'))
    writeFileSync(join(home, 'dags', 'a.yaml'), 'steps: ["true"]')
    return { base, definitions: openDefinitions(join(home, 'dags'), base, later) }
  }

  it('one that cannot be read fails every load, and only as long', async () => {
    const { base, definitions } = scene()
    expect(definitions.list()[0]?.definition.problems).to.deep.equal([])
    mkdirSync(base)
    const problems = [{ message: 'failed to read base config: wanted a file, found something else', path: '' }]
    expect(definitions.list()[0]?.definition).to.deep.include({ name: 'a', problems })
    expect(definitions.get('a').definition.problems).to.deep.equal(problems)
    expect(await definitions.read('steps: [x]', { fallbackName: 'n' })).to.deep.include({ name: 'n', problems })
    expect(await definitions.replace('a', 'steps: ["false"]')).to.deep.equal([problems[0]?.message])
    rmSync(base, { recursive: true })
    expect(definitions.list()[0]?.definition.plan?.name).to.equal('a')
    definitions.close()
  })
  it('1.2.4 the base is merged on every load: lists and the scheduler see queue and maxActiveRuns of it', () => {
    const { base, definitions } = scene()
    writeFileSync(base, 'queue: narrow\nmaxActiveRuns: 7\n')
    for (const found of [definitions.list()[0], definitions.get('a')])
      expect(found?.definition.plan).to.include({ queue: 'narrow', maxActiveRuns: 7 })
    definitions.close()
  })
  it('a text is read once over one base, and again over another', async () => {
    const { base, definitions } = scene()
    const read = () => definitions.read('steps: [x]', {})
    const listed = () => definitions.list()[0]?.definition
    const [first, firstListed] = [await read(), listed()]
    expect(await read()).to.equal(first)
    expect(listed()).to.equal(firstListed)
    writeFileSync(base, 'group: one')
    expect(await read()).not.to.equal(first)
    expect(listed()).not.to.equal(firstListed)
    rmSync(base)
    expect(await read()).to.equal(first)
    definitions.close()
  })
})
