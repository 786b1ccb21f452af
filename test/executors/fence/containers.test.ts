/** The fence ends containers by their label, on a real Docker engine. Source: distribution 1 (D4), 5, 14. */
import { type ChildProcess, spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Fence, openFence } from '../../../src/executors/fence/fence.ts'
import { uptimeMs } from '../../../src/platform/uptime.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'
import { fenceOf } from '../../support/worker/fence.ts'

describe('fence › containers', function () {
  this.timeout(60_000)
  const docker = dockerService()
  const begun: ChildProcess[] = []
  const made: string[] = []
  const OWN = `fence-test-${process.pid}`
  after(async () => {
    for (const child of begun) child.kill('SIGKILL')
    for (const id of made)
      await docker.client
        .getContainer(id)
        .remove({ force: true })
        .catch(() => {})
  })
  async function container(labels: Record<string, string>, isStarted = true) {
    const Labels = { [OWN]: 'yes', ...labels }
    const one = await docker.client.createContainer({ Image: IMAGE, Cmd: ['sleep', '600'], Labels })
    made.push(one.id)
    if (isStarted) await one.start()
    return {
      pause: () => one.pause(),
      start: () => one.start(),
      state: () =>
        one.inspect().then(
          ({ State }) => State.Status,
          (error: { statusCode?: number }) => `${error.statusCode}`
        )
    }
  }
  /** A worker that is only a process, and its fence. */
  function worker(environment: Record<string, string>) {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    const folder = join(temporaryFolder(), 'fence')
    const fence: Fence = openFence({ folder, environment, ownLabel: () => `${OWN}=yes`, start: () => {} })
    const shell = fenceOf(folder, child.pid ?? 0, environment)
    begun.push(child, shell)
    return { child, fence, over: new Promise<number | null>((resolve) => shell.on('exit', resolve)) }
  }
  const label = (execution: string) => `troupe.execution=${OWN}-${execution}`
  const labelled = (execution: string, isStarted = true) =>
    container({ 'troupe.execution': `${OWN}-${execution}` }, isStarted)

  it('D4 those with a listed label that are its own are killed, paused ones too; one that was only created is removed, and no other is touched', async () => {
    const [one, paused, created, other, same] = [
      await labelled('a'),
      await labelled('a'),
      await labelled('b', false),
      await labelled('c'),
      await container({ 'troupe.execution': `${OWN}-a`, [OWN]: 'no' })
    ]
    await paused.pause()
    const { child, fence, over } = worker(docker.environment)
    fence.list('t1', { state: '/nowhere/a', label: label('a') })
    fence.list('t2', { state: '/nowhere/b', label: label('b') })
    fence.list('t3', { state: '/nowhere/d', label: label('d') })
    fence.renew(uptimeMs() + 1_000)
    child.kill('SIGSTOP')
    await eventually('they are ended', async () =>
      (await one.state()) === 'exited' && (await paused.state()) === 'exited' && (await created.state()) === '404'
        ? true
        : undefined
    )
    expect([await other.state(), await same.state()]).to.deep.equal(['running', 'running'])
    expect(await created.start().catch((error: { statusCode?: number }) => error.statusCode)).to.equal(404)
    child.kill('SIGKILL')
    expect(await over, 'nothing is left to be ended').to.equal(0)
    expect(['t1', 't2', 't3'].map((id) => fence.wasFenced(id))).to.deep.equal([true, true, false])
  })
  it('D4 the worker is gone, and Docker comes back later: the fence goes on until it has ended them, then it leaves', async () => {
    const one = await labelled('e')
    const away = join(temporaryFolder(), 'docker.sock')
    const { child, fence, over } = worker({ ...docker.environment, DOCKER_HOST: `unix://${away}` })
    fence.list('t1', { state: '/nowhere/e', label: label('e') })
    fence.renew(uptimeMs() + 500)
    child.kill('SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(await one.state()).to.equal('running')
    symlinkSync(docker.address.slice('unix://'.length), away)
    await eventually('it is ended', async () => ((await one.state()) === 'exited' ? true : undefined))
    expect(await over).to.equal(0)
  })
})
