/** What `troupe-launcher` is written and what it reports, however its messages are cut. Source: architecture 4, reliability 3.1. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { nativeLauncher } from '../../../../src/executors/launcher/native-binary.ts'
import { textOf } from '../../../support/engine/live.ts'
import { type BareLauncher, bareLauncher, jobMessage } from '../../../support/executors/bare-launcher.ts'
import { sanitized } from '../../../support/executors/native-launcher.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { oneIn } from '../../../support/long.ts'
import { lives } from '../../../support/processes.ts'
import { eventually } from '../../../support/waiting.ts'

const sh = (text: string, env: string[] = []) => ({ argv: ['sh', '-c', text], program: '/bin/sh', env })
const BUILDS = { 'as it is built': () => nativeLauncher(), 'with the sanitizers of the compiler': () => sanitized() }

for (const [build, binaryOf] of oneIn(2, Object.entries(BUILDS)))
  describe(`troupe-launcher alone, ${build}`, function () {
    this.timeout(60_000)
    let binary: string
    let one: BareLauncher
    before(function () {
      const found = binaryOf()
      if (found === undefined) this.skip()
      else binary = found
    })
    beforeEach(async () => {
      one = await bareLauncher([], { binary })
      one.job('first', sh('exit 0')) // in which a sanitizer says, once, that it does not know the stack of a child
      await one.heard('ended first')
      one.lines.length = 0
    })
    afterEach(async () => {
      expect(await one.leave()).to.equal(0)
    })

    it('answers each ping, and says what became of each job', async () => {
      one.write('ping\nping\n')
      await eventually('two answers', () => one.lines.filter((line) => line === 'pong').length === 2 || undefined)
      one.job('j1', sh('echo out; echo err >&2; exit 3'))
      expect(await one.heard('ended j1')).to.equal('3 0')
      one.job('j2', sh('kill -TERM $$'))
      expect(await one.heard('ended j2')).to.equal('143 1')
      expect(one.lines.filter((line) => line.startsWith('began'))).to.deep.equal(['began j1', 'began j2'])
      expect([textOf(join(one.folder, 'j1.out')), textOf(join(one.folder, 'j1.err'))]).to.deep.equal(['out\n', 'err\n'])
      const [began, end] = textOf(join(one.folder, 'j1.state')).trimEnd().split('\n')
      expect(began).to.match(/^boot 0 \d+ \(troupe-launcher\) /)
      expect(end).to.equal('3 0')
    })

    it('many messages in one write, and one message in many', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `m${index}`)
      one.write(names.map((name, index) => `ping\n${jobMessage(one.folder, name, sh(`exit ${index}`))}`).join(''))
      for (const [index, name] of names.entries()) expect(await one.heard(`ended ${name}`)).to.equal(`${index} 0`)
      for (const byte of jobMessage(one.folder, 'cut', sh('exit 7'))) {
        one.write(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await one.heard('ended cut')).to.equal('7 0')
    })

    it('a message of a megabyte arrives whole', async () => {
      const words = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000))
      one.job('large', { argv: ['sh', '-c', 'printf %s "$*" | wc -c', ...words], program: '/bin/sh' })
      expect(await one.heard('ended large')).to.equal('0 0')
      expect(textOf(join(one.folder, 'large.out')).trim()).to.equal(String(900_000 + 8))
    })

    it('half a job begins nothing when the engine has gone, and what runs is recorded', async () => {
      const gate = join(one.folder, 'gate')
      one.job('runs', sh(`while [ ! -e ${gate} ]; do sleep 0.02; done; exit 6`))
      await one.heard('began runs')
      const half = jobMessage(one.folder, 'half', sh('exit 0'))
      one.write(half.slice(0, -20))
      const left = one.leave()
      await wait(100)
      expect(lives(one.pid)).to.equal(true)
      writeFileSync(gate, '')
      expect(await left).to.equal(0)
      expect(textOf(join(one.folder, 'runs.state'))).to.match(/\n6 0\n$/)
      expect(existsSync(join(one.folder, 'half.state'))).to.equal(false)
      expect(readdirSync(one.folder).filter((file) => /\.(pid|held)$/.test(file))).to.deep.equal([])
    })

    it('what is no message of an engine ends the talk, not the launcher: what runs is held to its end', async () => {
      const noise = [
        'hello\n',
        'job\n',
        'job x\n',
        'job  9\n',
        `job ${'n'.repeat(200)} 1\n\0`,
        'job x 3\na\0b',
        'job y 0\n',
        '\n'
      ]
      const fields = ['s', 'b', 'o', 'e', '/', '22', 'p']
      for (const [count, list] of [
        ['-1'],
        ['9999999'],
        ['1', 'a', '0', '7'],
        ['0', '0', '0'],
        ['1', 'a', '-5', '0']
      ].entries()) {
        const body = [...fields, ...list].map((field) => `${field}\0`).join('')
        noise.push(`job f${count} ${body.length}\n${body}`)
      }
      for (const [index, text] of noise.entries()) {
        const other = await bareLauncher([], { binary })
        const gate = join(other.folder, 'gate')
        other.job('runs', sh(`while [ ! -e ${gate} ]; do sleep 0.02; done; exit 6`))
        await other.heard('began runs')
        other.write(text)
        other.write('ping\n')
        await wait(20)
        writeFileSync(gate, '')
        expect(await other.heard('ended runs'), `${index}`).to.equal('6 0')
        expect(await other.leave()).to.equal(0)
        expect(other.lines.includes('pong'), `${index}`).to.equal(false)
      }
    })

    it('an engine that reads no report holds up nothing: it gets all of 1,000 when it reads', async () => {
      one.child.stdout?.pause()
      for (let index = 0; index < 1_000; index++) one.job(`a${index}`, { argv: ['true'], program: '/bin/true' })
      const last = join(one.folder, 'a999.state')
      await eventually('the last record', () => (textOf(last).endsWith('\n0 0\n') ? true : undefined))
      one.child.stdout?.resume()
      await one.heard('ended a999')
      expect(one.lines.filter((line) => line.startsWith('began '))).to.have.length(1_000)
      expect(one.lines.filter((line) => line.startsWith('ended '))).to.have.length(1_000)
    })

    it('a file without a first line that names its interpreter is a shell script, with its arguments', async () => {
      const script = join(one.folder, 'script')
      writeFileSync(script, 'echo "$0" "$#" "$2"\n', { mode: 0o755 })
      one.job('script', { argv: ['name', 'a', 'b c'], program: script })
      expect(await one.heard('ended script')).to.equal('0 0')
      expect(textOf(join(one.folder, 'script.out'))).to.equal(`${script} 2 b c\n`)
    })

    it('D4 a job whose time is over is not begun, and its record says so', async () => {
      one.job('late', { ...sh('echo begun'), limit: 1 })
      expect(await one.heard('ended late')).to.equal('75 0')
      one.job('early', { ...sh('echo begun'), limit: 2 ** 50 })
      expect(await one.heard('ended early')).to.equal('0 0')
      expect([textOf(join(one.folder, 'late.out')), textOf(join(one.folder, 'early.out'))]).to.deep.equal([
        '',
        'begun\n'
      ])
    })

    it('a record that is there already is left as it is, and its job is not begun', async () => {
      writeFileSync(join(one.folder, 'there.state'), 'of another\n')
      one.job('there', sh('echo no'))
      expect(await one.heard('ended there')).to.equal('125 0')
      expect(readFileSync(join(one.folder, 'there.state'), 'utf8')).to.equal('of another\n')
      expect([one.lines.includes('began there'), existsSync(join(one.folder, 'there.out'))]).to.deep.equal([
        false,
        false
      ])
    })
  })

describe('troupe-launcher on a command line', () => {
  it('says its version; without a folder it says how it is used, with exit code 2', () => {
    const version = spawnSync(nativeLauncher(), ['--version'], { encoding: 'utf8' })
    expect([version.status, version.stdout]).to.deep.equal([0, 'troupe-launcher 3\n'])
    for (const words of [[], ['a', 'b'], [join(temporaryFolder(), 'none')]]) {
      const { status, stdout, stderr } = spawnSync(nativeLauncher(), words, { encoding: 'utf8' })
      expect([status, stdout]).to.deep.equal([2, ''])
      expect(stderr).to.match(/^usage: troupe-launcher FOLDER/)
    }
  })
})
