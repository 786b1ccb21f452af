/** The folder that a worker lives in: its id, its sessions, its lock. Source: distribution 2, 5. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isEarlier } from '../../machines/policy/welcome.ts'
import { identityOf } from '../../src/platform/process-identity.ts'
import { openWorkerHome } from '../../src/worker/home.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

describe('worker › home', () => {
  const clock = simulatedClock()
  const open = (folder: string) => openWorkerHome(folder, clock)
  const opened = (folder: string) => {
    const { id, session, release } = open(folder)
    release()
    return { id, session }
  }
  const refusal = (folder: string): string => {
    try {
      open(folder).release()
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('has an id of 16 hexadecimal digits, made once', () => {
    const folder = join(temporaryFolder(), 'a', 'worker')
    const [first, second] = [opened(folder), opened(folder)]
    expect(first.id).to.match(/^[0-9a-f]{16}$/)
    expect(second.id).to.equal(first.id)
    expect(opened(temporaryFolder()).id).not.to.equal(first.id)
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 'worker.json')).mode & 0o777]).to.deep.equal([
      0o700, 0o600
    ])
  })
  it('each session comes after the one before, also when the clock was set back or the home was restored', () => {
    const folder = temporaryFolder()
    const first = opened(folder)
    const saved = readFileSync(join(folder, 'worker.json'))
    const second = opened(folder)
    expect(isEarlier(first.session, second.session)).to.equal(true)
    clock.jump(clock.now() - 3_600_000)
    const third = opened(folder)
    expect(isEarlier(second.session, third.session)).to.equal(true)
    writeFileSync(join(folder, 'worker.json'), saved)
    clock.jump(clock.now() + 7_200_000)
    expect(isEarlier(third.session, opened(folder).session)).to.equal(true)
  })
  it('a second worker on it is refused, naming the process of the first', () => {
    const folder = temporaryFolder()
    const { release } = open(folder)
    expect(refusal(folder)).to.equal(
      `this home is in use by the worker with process id ${process.pid}: stop that one, or give another --home`
    )
    release()
    expect(refusal(folder)).to.equal('')
    expect(readdirSync(folder)).to.deep.equal(['worker.json'])
  })
  it('the lock of a process that has ended, or garbage, is in nobody’s way; that of a living one stays', async () => {
    const folder = temporaryFolder()
    const lock = join(folder, 'lock')
    const child = spawn('sleep', ['100'])
    const identity = identityOf(child.pid ?? 0)
    writeFileSync(lock, JSON.stringify(identity))
    expect(refusal(folder)).to.contain(`process id ${child.pid}`)
    expect(existsSync(lock)).to.equal(true)
    const over = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await over
    expect(refusal(folder)).to.equal('')
    for (const left of [JSON.stringify({ ...identityOf(process.pid), startTicks: '1' }), '', 'x', '{}', 'null']) {
      writeFileSync(lock, left)
      expect(refusal(folder), left).to.equal('')
    }
  })
  it('D1020 with a key its first start takes the id of that; a home of another worker refuses the key', () => {
    const folder = temporaryFolder()
    const clock = simulatedClock()
    const start = (keyed?: string) => {
      const home = openWorkerHome(folder, clock, keyed)
      home.release()
      return home.id
    }
    expect(start('aaaaaaaaaaaaaaaa')).to.equal('aaaaaaaaaaaaaaaa')
    expect([start('aaaaaaaaaaaaaaaa'), start()]).to.deep.equal(['aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa'])
    expect(() => start('bbbbbbbbbbbbbbbb')).to.throw(/is the key of another worker than the one that lives in/)
    expect(existsSync(join(folder, 'lock'))).to.equal(false)
  })
  it('a damaged file is refused: a new id would be another worker', () => {
    for (const text of ['', '{', 'null', '{"id":"x","start":1}', '{"id":"0123456789abcdef"}']) {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'worker.json'), text)
      expect(refusal(folder), text).to.match(/worker\.json is damaged: restore it, or remove it if no steps run/)
      expect(existsSync(join(folder, 'lock'))).to.equal(false)
    }
  })
})
