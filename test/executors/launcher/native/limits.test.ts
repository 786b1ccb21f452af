/** `troupe-launcher` where the machine gives it no more: it waits, or says so, and goes on. Source: reliability P6, P22. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { nativeLauncher } from '../../../../src/executors/launcher/native-binary.ts'
import { textOf } from '../../../support/engine/live.ts'
import { bareLauncher } from '../../../support/executors/bare-launcher.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { eventually } from '../../../support/waiting.ts'

const sh = (text: string) => ({ argv: ['sh', '-c', text], program: '/bin/sh' })
const ALL = Array.from({ length: 20 }, (_, index) => `j${index}`)

/** Of the C library itself: no program can hold them off. 34 is one of musl, which the launcher of the package is linked with. */
const OWN_SIGNALS = [32, 33, 34]
/** The same as bits: `make` leaves 32 and 33 ignored. */
const OWN_OF_C_LIBRARY = 0x380000000n

describe('troupe-launcher at the limits of the machine', () => {
  it('with as many files open as there may be, a step still gets its record and its logs', async () => {
    const one = await bareLauncher(['prlimit', '--nofile=6:6'])
    one.job('j1', { argv: ['cat', '/proc/version', '/none'], program: '/bin/cat' })
    expect(await one.heard('ended j1')).to.equal('1 0')
    expect(textOf(join(one.folder, 'j1.out'))).to.equal(textOf('/proc/version'))
    expect(textOf(join(one.folder, 'j1.err'))).to.contain('/none')
    expect(await one.leave()).to.equal(0)
  })

  it('few files: steps with filters wait for those before them, and all end', async () => {
    const one = await bareLauncher(['prlimit', '--nofile=24:24'])
    for (const name of ALL)
      one.job(name, {
        ...sh('echo said; sleep 0.05; exit 4'),
        filter: { argv: ['/bin/sh', '-c', 'cat <&4 >/dev/null; cat'], order: 'x\n' }
      })
    for (const name of ALL) expect(await one.heard(`ended ${name}`)).to.equal('4 0')
    expect(await one.leave()).to.equal(0)
  })

  it('few processes: steps wait for those before them, and all end', async function () {
    if (process.getuid?.() !== 0) this.skip() // root alone becomes another user, and has no limit itself
    const user = 54_322
    const folder = temporaryFolder()
    const binary = join(folder, 'troupe-launcher')
    copyFileSync(nativeLauncher(), binary)
    for (const path of [folder, binary]) chmodSync(path, 0o755)
    chownSync(folder, user, user)
    const as = ['setpriv', '--reuid', `${user}`, '--regid', `${user}`, '--clear-groups', 'prlimit', '--nproc=6:6']
    const one = await bareLauncher(as, { binary, folder })
    for (const name of ALL) one.job(name, { argv: ['sleep', '0.05'], program: '/bin/sleep' })
    for (const name of ALL) expect(await one.heard(`ended ${name}`)).to.equal('0 0')
    const most = Math.max(...counted(one.lines))
    expect(most, 'at once').to.be.within(2, 5)
    expect(await one.leave()).to.equal(0)
  })

  it('a limit of file sizes does not end it: a record that cannot be written is refused, later ones are written', async () => {
    const one = await bareLauncher(['prlimit', '--fsize=0:'])
    one.job('none', sh('echo no'))
    expect(await one.heard('ended none')).to.equal('125 0')
    expect(one.lines).to.not.include('began none')
    execFileSync('prlimit', ['--pid', String(one.pid), '--fsize=unlimited:'])
    one.job('some', sh('exit 3'))
    expect(await one.heard('ended some')).to.equal('3 0')
    expect(await one.leave()).to.equal(0)
  })

  it('a full disk below its own folder neither keeps it from starting nor ends it', async function () {
    const folder = temporaryFolder()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]).status !== 0) this.skip() // not allowed here
    try {
      expect(() => writeFileSync(join(folder, 'fill'), Buffer.alloc(65_536))).to.throw('ENOSPC')
      const one = await bareLauncher([], { folder })
      const elsewhere = temporaryFolder()
      for (const name of ALL) one.job(name, { ...sh('exit 5'), logs: elsewhere })
      for (const name of ALL) expect(await one.heard(`ended ${name}`)).to.equal('5 0')
      expect(await one.leave()).to.equal(0)
    } finally {
      execFileSync('umount', ['--lazy', folder])
    }
  })

  it('no signal but SIGKILL and SIGSTOP does anything to it, and none is held off in its steps', async () => {
    const one = await bareLauncher()
    const gate = join(one.folder, 'gate')
    one.job('lasting', sh(`while [ ! -e ${gate} ]; do sleep 0.02; done; exit 6`))
    await one.heard('began lasting')
    const synchronous = new Set([constants.signals.SIGKILL, constants.signals.SIGSTOP])
    for (let signal = 1; signal <= 64; signal++)
      if (!synchronous.has(signal) && !OWN_SIGNALS.includes(signal)) process.kill(one.pid, signal)
    one.job('status', { argv: ['grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status'], program: '/bin/grep' })
    expect(await one.heard('ended status')).to.equal('0 0')
    const masks = [...textOf(join(one.folder, 'status.out')).matchAll(/^Sig(?:Blk|Ign):\t(\w+)$/gm)]
    expect(masks.map(([, mask]) => BigInt(`0x${mask}`) & ~OWN_OF_C_LIBRARY)).to.deep.equal([0n, 0n])
    writeFileSync(gate, '')
    expect(await one.heard('ended lasting')).to.equal('6 0')
    expect(await one.leave()).to.equal(0)
  })
})

describe('troupe-launcher and a filter that is slow', () => {
  for (const bytes of [10, 65_536, 200_000])
    it(`an order of ${bytes} bytes reaches it, and that the step has ended, although it reads nothing until then`, async () => {
      const one = await bareLauncher()
      const [over, gate, got] = ['over', 'gate', 'got'].map((name) => join(one.folder, name)) as [
        string,
        string,
        string
      ]
      const order = 'x'.repeat(bytes)
      const reads = `while [ ! -e ${gate} ]; do sleep 0.02; done; cat <&4 >${got}; cat >/dev/null`
      one.job('slow', { ...sh(`touch ${over}; exit 3`), filter: { argv: ['/bin/sh', '-c', reads], order } })
      await eventually('the end of the step', () => existsSync(over) || undefined)
      await wait(100)
      one.job('other', sh('exit 4'))
      expect(await one.heard('ended other'), 'others go on').to.equal('4 0')
      writeFileSync(gate, '')
      expect(await one.heard('ended slow')).to.equal('3 0')
      expect(readFileSync(got, 'utf8') === `${order}.`).to.equal(true)
      expect(await one.leave()).to.equal(0)
    })

  it('one that ends before the step costs it nothing but its output; one that stays is ended when its time is over', async () => {
    const one = await bareLauncher()
    one.job('gone', { ...sh('sleep 0.2; exit 3'), filter: { argv: ['/bin/true'], order: 'x'.repeat(200_000) } })
    one.job('stays', { ...sh('exit 5'), filter: { argv: ['/bin/sleep', '60'], drainMs: 200 } })
    expect(await one.heard('ended gone')).to.equal('3 0')
    expect(await one.heard('ended stays')).to.equal('5 0')
    expect(await one.leave()).to.equal(0)
  })

  it('an exit code that is noted makes a step that succeeded fail, and is on record', async () => {
    const one = await bareLauncher()
    const filter = { argv: ['/bin/sh', '-c', 'cat >/dev/null; exit 11'], notes: ['12', 'of 12\n', '11', 'of 11\n'] }
    for (const code of [0, 7]) one.job(`code-${code}`, { ...sh(`exit ${code}`), filter })
    expect(await one.heard('ended code-0')).to.equal('74 0')
    expect(textOf(join(one.folder, 'code-0.state'))).to.match(/\nof 11\n74 0\n$/)
    expect(await one.heard('ended code-7')).to.equal('7 0')
    expect(textOf(join(one.folder, 'code-7.state'))).to.not.contain('of 11')
    expect(await one.leave()).to.equal(0)
  })
})

/** How many had begun and not ended, after each report. */
function counted(lines: string[]): number[] {
  let at = 0
  return lines.map((line) => {
    at += line.startsWith('began ') ? 1 : line.startsWith('ended ') ? -1 : 0
    return at
  })
}
