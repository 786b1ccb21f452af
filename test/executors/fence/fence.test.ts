/** The fence ends what a worker has at work when that hears nothing of its engine. Real processes. Source: distribution 1 (D4, D5), 5. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openFence } from '../../../src/executors/fence/fence.ts'
import { bootId, identityOf } from '../../../src/platform/process-identity.ts'
import { uptimeMs } from '../../../src/platform/uptime.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { lives } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'
import { fenceOf } from '../../support/worker/fence.ts'

const pidOf = ({ pid = 0 }: ChildProcess) => pid

describe('fence', function () {
  this.timeout(30_000)
  const begun: ChildProcess[] = []
  /** A process with a session of its own, which has another one in its group. */
  function process(): number {
    const child = spawn('sh', ['-c', 'sleep 300 & sleep 300'], { detached: true, stdio: 'ignore' })
    begun.push(child)
    return pidOf(child)
  }
  after(() => {
    for (const child of begun)
      for (const pid of [-pidOf(child), pidOf(child)])
        try {
          globalThis.process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended.
        }
  })
  const record = (base: string, pid: number, ticks?: string) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const own = identityOf(pid)?.startTicks ?? ''
    writeFileSync(`${base}.1.state`, `${bootId()} 0 ${ticks === undefined ? stat : stat.replace(own, ticks)}`)
  }
  /** The fence of a worker that is only a process. */
  function fenced(worker: number) {
    const folder = temporaryFolder()
    const fence = openFence({ folder: join(folder, 'fence'), environment: {} })
    const child = fenceOf(join(folder, 'fence'), worker)
    begun.push(child)
    const over = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const write = (id: string, ...lines: string[]) =>
      writeFileSync(join(folder, 'fence', 'list', id), `${lines.join('\n')}\n`)
    return { folder, fence, over, write, base: (id: string) => join(folder, `my step.${id}`) }
  }

  it('D4 the deadline of another boot is past, however great its number; a lower one of this boot replaces it', () => {
    const folder = join(temporaryFolder(), 'fence')
    const open = (boot: string) => openFence({ folder, environment: {}, boot })
    open('one').renew(3_600_000)
    expect(open('one').deadline()).to.equal(3_600_000)
    const later = open('two')
    expect(later.deadline()).to.equal(0)
    later.renew(95_000)
    expect(open('two').deadline()).to.equal(95_000)
  })
  it('D4 ends the groups that are listed, and no other, once the deadline has passed; the worker and its folder may be gone', async () => {
    const worker = process()
    const { folder, fence, over, write, base } = fenced(worker)
    const [one, other, reused] = [process(), process(), process()]
    record(base('a'), one)
    record(base('b'), other)
    record(base('c'), reused, '1')
    write('a', `state ${base('a')}`)
    write('c', `state ${base('c')}`)
    fence.renew(uptimeMs() + 1_500)
    const isFenced = () => fence.wasFenced('a')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    globalThis.process.kill(-worker, 'SIGKILL')
    expect([lives(one), isFenced()]).to.deep.equal([true, false])
    rmSync(join(folder, 'fence'), { recursive: true })
    await eventually('it is ended', () => (lives(one) ? undefined : true))
    expect([lives(other), lives(reused)]).to.deep.equal([true, true])
    expect(await over).to.equal(0)
  })
  it('a deadline that moves on ends nothing; what it ends it writes down; a frozen worker does not go on with what it did itself', async () => {
    const worker = process()
    const { fence, over, write, base } = fenced(worker)
    const one = process()
    record(base('a'), one)
    write('a', `state ${base('a')}`)
    write('b', 'worker')
    for (let times = 0; times < 3; times++) {
      fence.renew(uptimeMs() + 900)
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    expect(lives(one)).to.equal(true)
    globalThis.process.kill(worker, 'SIGSTOP')
    await eventually('it is ended', () => (lives(one) ? undefined : true))
    expect([fence.wasFenced('a'), fence.wasFenced('b'), lives(worker)]).to.deep.equal([true, false, true])
    await eventually('the worker is ended', () => (lives(worker) ? undefined : true))
    expect(fence.wasFenced('b')).to.equal(true)
    expect(await over).to.equal(0)
  })
  it('where no engine has ever set a deadline it leaves with its worker, and ends nothing', async () => {
    const worker = process()
    const { over, write, base } = fenced(worker)
    const one = process()
    record(base('a'), one)
    write('a', `state ${base('a')}`)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    globalThis.process.kill(-worker, 'SIGKILL')
    expect(await over).to.equal(0)
    expect(lives(one)).to.equal(true)
  })
  it('is started with the first task, outlives it, and leaves when the next process has one', async () => {
    const folder = join(temporaryFolder(), 'fence')
    const fence = openFence({ folder, environment: { PATH: globalThis.process.env.PATH ?? '' } })
    expect(existsSync(join(folder, 'owner'))).to.equal(false)
    fence.list('a', { state: '/nowhere/a.1' })
    expect([fence.limitOf('/nowhere/a.1.1.state'), fence.limitOf('/nowhere/b.1.1.state')]).to.deep.equal([
      undefined,
      undefined
    ])
    fence.renew(5_000)
    expect([fence.deadline(), fence.limitOf('/nowhere/a.1.1.state')]).to.deep.equal([5_000, 500])
    fence.renew(4_000)
    expect(fence.deadline()).to.equal(5_000)
    const owner = await eventually(
      'it is there',
      () => Number(existsSync(join(folder, 'owner')) && readFileSync(join(folder, 'owner'), 'utf8')) || undefined
    )
    expect(lives(owner)).to.equal(true)
    writeFileSync(join(folder, 'owner'), '1\n')
    await eventually('it has left', () => (lives(owner) ? undefined : true))
    expect(openFence({ folder, environment: {} }).deadline()).to.equal(5_000)
  })
})
