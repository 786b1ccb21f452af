/** The time zone that the environment asks for, beside what the C library makes of it. Source: tzset(3), execution-semantics 11.3. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { zoneOf, zoneOfCommands } from '../../src/config/time-zone.ts'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../support/homes.ts'
import { problemsOf, read, shown } from './reading.ts'

const ZONEINFO = '/usr/share/zoneinfo'
const WINTER = Date.UTC(2027, 0, 15, 12)
const SUMMER = Date.UTC(2027, 6, 15, 12)

/** Offset of the clocks of a command, such as `+0100`. */
const commandOffset = (TZ: string, at: number) =>
  execFileSync('date', ['-d', `@${at / 1_000}`, '+%z'], { env: { ...process.env, TZ }, encoding: 'utf8' }).trim()

const offsetIn = (timeZone: string, at: number) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return name.replace('GMT', '').replace(':', '') || '+0000'
}

describe('time zone of the environment › what TZ may hold', () => {
  const followed: [string, string?][] = [
    ['', 'UTC'],
    [':', 'UTC'],
    ['UTC', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Europe/Berlin', 'Europe/Berlin'],
    [':Europe/Berlin', 'Europe/Berlin'],
    ['posix/Asia/Tokyo', 'Asia/Tokyo'],
    ['right/Asia/Tokyo', 'Asia/Tokyo'],
    [`${ZONEINFO}/Asia/Tokyo`, 'Asia/Tokyo'],
    [`:${ZONEINFO}/America/New_York`, 'America/New_York'],
    [':/etc/localtime'],
    ['GB'],
    ['EST5EDT'],
    ['Asia/Kolkata'],
    ['Factory', 'UTC'],
    ['UTC0', 'UTC'],
    ['EST5', 'Etc/GMT+5'],
    ['UTC-3', 'Etc/GMT-3'],
    ['GMT+3', 'Etc/GMT+3'],
    ['<-03>3', 'Etc/GMT+3']
  ]
  for (const [value, name] of followed)
    it(`${JSON.stringify(value)}: a zone that shows what commands show`, () => {
      const zone = zoneOf(value)
      if ('problem' in zone) throw new Error(zone.problem)
      if (name !== undefined) expect(zone.tz).to.equal(name)
      for (const at of [WINTER, SUMMER]) {
        const wanted = commandOffset(value, at).replace('-0000', '+0000') // "Factory" says that nobody has set it
        expect(offsetIn(zone.tz, at)).to.equal(wanted)
      }
      expect(zone.warning).to.equal(undefined)
    })

  const refused: [string, RegExp][] = [
    ['garbage', /^TZ: wanted a time zone, found "garbage": set TZ or ENGINE_TZ to one such as Europe\/Berlin$/],
    [' ', /found " ": set TZ/],
    ['Europe/Berlin ', /found "Europe\/Berlin ": did you mean Europe\/Berlin\?$/],
    ['Europe/Berln', /did you mean Europe\/Berlin\?$/],
    ['Europe', /found "Europe": /],
    ['/nope', /found "\/nope", a path that cannot be read: /],
    [':/etc/passwd', /found ":\/etc\/passwd", a file of something else: /],
    ['/usr', /found "\/usr", /],
    ['/dev/zero', /a device/],
    ['AAA25', /found "AAA25": /],
    ['CET-1CEST', /found "CET-1CEST": /],
    ['CET-1CEST,M3.5.0,M10.5.0/3', /found "CET-1CEST,M3\.5\.0,M10\.5\.0\/3": set TZ or ENGINE_TZ/],
    ['IST-5:30', /found "IST-5:30": /]
  ]
  for (const [value, problem] of refused)
    it(`${JSON.stringify(value)}: refused by name`, () => {
      expect(problemsOf(() => readConfig({ home: temporaryFolder() }, { TZ: value }))).to.have.length(1)
      expect(problemsOf(() => readConfig({ home: temporaryFolder() }, { TZ: value }))[0]).to.match(problem)
    })

  for (const value of ['europe/berlin', 'Europe/berlin'])
    it(`${value}: followed, and it is said that commands follow UTC`, () => {
      expect(commandOffset(value, SUMMER)).to.equal('+0000')
      const { tz, warnings } = read('', { TZ: value })
      expect(tz).to.equal('Europe/Berlin')
      expect(warnings).to.have.length(1)
      expect(warnings[0]).to.contain('commands of steps that ask the system follow UTC: write Europe/Berlin')
    })

  it('a system without zone files: said, as commands follow UTC then', () => {
    const places = { localtime: join(temporaryFolder(), 'localtime'), zoneinfo: temporaryFolder() }
    const zone = zoneOf('Europe/Berlin', places)
    expect(zone).to.include({ tz: 'Europe/Berlin' })
    expect('warning' in zone && zone.warning).to.contain('install the time zones of the system (tzdata)')
    expect(zoneOf('UTC', places)).to.not.have.property('warning')
  })
})

describe('time zone of the environment › TZ is not set', () => {
  /** What the system's zone is when this stands at `/etc/localtime`. */
  const systemZone = (make: (localtime: string) => void) => {
    const folder = temporaryFolder()
    const localtime = join(folder, 'localtime')
    make(localtime)
    return zoneOf(undefined, { localtime, zoneinfo: ZONEINFO })
  }

  it('a link to a zone: that one, and Date follows it', () => {
    const zone = systemZone((path) => symlinkSync(`${ZONEINFO}/Europe/Berlin`, path))
    expect(zone).to.deep.equal({ tz: 'Europe/Berlin', isOfDate: true })
  })

  it('a link to a zone elsewhere', () => {
    const zone = systemZone((path) => {
      const other = join(temporaryFolder(), 'zoneinfo', 'Asia')
      mkdirSync(other, { recursive: true })
      copyFileSync(`${ZONEINFO}/Asia/Tokyo`, join(other, 'Tokyo'))
      symlinkSync(join(other, 'Tokyo'), path)
    })
    expect(zone).to.include({ tz: 'Asia/Tokyo' })
  })

  it('a copy of a zone: one that keeps the same time', () => {
    const zone = systemZone((path) => copyFileSync(`${ZONEINFO}/Europe/Berlin`, path))
    if ('problem' in zone) throw new Error(zone.problem)
    expect([WINTER, SUMMER].map((at) => offsetIn(zone.tz, at))).to.deep.equal(['+0100', '+0200'])
  })

  it('nothing, and a link to nothing: UTC, as for commands', () => {
    expect(systemZone(() => {})).to.include({ tz: 'UTC' })
    expect(systemZone((path) => symlinkSync('/nowhere/zoneinfo/Europe/Berlin', path))).to.include({ tz: 'UTC' })
  })

  it('no zone: refused by name', () => {
    const zone = systemZone((path) => writeFileSync(path, 'Europe/Berlin\n'))
    expect('problem' in zone && zone.problem).to.match(
      /^time zone of the system: wanted one at \S+\/localtime, found a file of something else: set TZ or ENGINE_TZ to one such as Europe\/Berlin$/
    )
    expect(systemZone((path) => mkdirSync(path))).to.have.property('problem')
  })
})

describe('time zone of the environment › beside the settings', () => {
  it('ENGINE_TZ and the file win, whatever TZ holds', () => {
    expect(read('', { TZ: 'garbage', ENGINE_TZ: 'Asia/Tokyo' }).tz).to.equal('Asia/Tokyo')
    expect(read('tz: Asia/Tokyo\n', { TZ: '' }).tz).to.equal('Asia/Tokyo')
    expect(read('', { TZ: 'Asia/Tokyo', ENGINE_TZ: '' }).tz).to.equal('Asia/Tokyo')
  })

  it('a setting that is no zone is the one problem', () => {
    const problems = problemsOf(() => read('', { TZ: 'garbage', ENGINE_TZ: 'Mars/Base' }))
    expect(problems).to.deep.equal(['ENGINE_TZ: wanted an IANA time zone such as Europe/Berlin, found "Mars/Base"'])
  })

  it('`troupe config` says that it comes from TZ', () => {
    expect(shown('', { TZ: ':Europe/Berlin' }).tz).to.deep.equal({ value: 'Europe/Berlin', source: 'TZ' })
    expect(shown('').tz?.source).to.equal('default')
  })

  it('another zone than that of commands is told', () => {
    expect(zoneOfCommands('Asia/Tokyo', { TZ: 'Europe/Berlin' })).to.equal('Europe/Berlin')
    expect(zoneOfCommands('Asia/Tokyo', { TZ: 'garbage' })).to.equal('TZ=garbage')
    expect(zoneOfCommands('Asia/Tokyo', { TZ: 'Asia/Tokyo' })).to.equal(undefined)
    expect(zoneOfCommands('UTC', { TZ: '' })).to.equal(undefined)
  })
})
