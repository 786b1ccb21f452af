/** Events for targets on the command line: with a server, with --url, and without one; and what the doctor says. Source: docs/notifications.md "Dead letters". */
import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { accepts, closeReceivers, receiver } from '../../support/engine/receiver.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

after(closeReceivers)

describe('troupe deliveries', () => {
  it('lists targets and dead letters with their reasons, has them delivered, removes them', async () => {
    const folder = temporaryFolder()
    const hook = await receiver((_, response) => void response.writeHead(410).end())
    const file = `notify: [{ name: ops, url: "${hook.url}", events: [run.*], secret: a secret of enough bytes }]\n`
    const server = await runningServer({}, { folder, file })
    const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
    const listed = async (...argv: string[]) => JSON.parse((await done('deliveries', '--json', ...argv)).out)
    for (const name of ['one', 'two'])
      await fetch(`${server.address}/api/v2/dag-runs`, {
        method: 'POST',
        body: JSON.stringify({ name, spec: 'steps: [echo]' })
      })
    await eventually('dead letters', async () => {
      const { targets } = (await (await fetch(`${server.address}/api/v2/deliveries`)).json()) as {
        targets: { dead: number }[]
      }
      return targets[0]?.dead === 4 || undefined
    })
    const { out, code } = await done('deliveries')
    expect(code).to.equal(0)
    expect(out).to.match(/^target +waiting +dead\nops +0 +4\n/)
    expect(out).to.match(/^dead +ops +run\.started +one \S+ +\S+ ago +1 +[0-9a-f-]{36} +it answered 410$/m)

    const here = await listed('--failed')
    const there = await listed('--failed', '--url', server.address)
    expect(there).to.deep.equal(here)
    expect(here.deliveries).to.have.length(4)
    const [first] = here.deliveries
    expect((await done('deliveries', 'remove', 'ops', first.id)).out).to.equal('1 dead letter for ops: removed\n')
    expect((await done('doctor')).out.replace(/\s+/g, ' ')).to.contain(
      '3 events for the target ops of notify are dead letters: it answered 410'
    )

    hook.answers(accepts)
    const second = here.deliveries[1].id
    expect((await done('deliveries', 'retry', 'ops', second, '--url', server.address)).out).to.equal(
      '1 dead letter for ops: delivered again\n'
    )
    expect((await done('deliveries', 'retry', 'ops')).out).to.equal('2 dead letters for ops: delivered again\n')
    await eventually('nothing that waits', async () => (await listed()).deliveries.length === 0 || undefined)
    const { out: none } = await done('deliveries')
    expect(none).to.match(/^target +waiting +dead\nops +0 +0\n$/)

    const wrong = await done('deliveries', 'again')
    expect([wrong.code, wrong.err]).to.deep.equal([
      1,
      'Error: deliveries: wanted retry or remove, found "again"; wanted the name of a target, found none; troupe deliveries lists them\n'
    ])
    expect((await done('deliveries', 'retry', 'nobody')).err).to.contain('notify has no target named nobody')
    await server.end()
    expect((await listed()).targets[0], 'without a server').to.include({ name: 'ops', waiting: 0, dead: 0 })
    const alone = await done('deliveries', 'retry', 'ops')
    expect([alone.code, alone.err]).to.deep.equal([
      1,
      'Error: dead letters belong to the engine that runs on this home, and there is none that can be asked\n'
    ])
  })

  it('a command that runs a workflow by itself tells the targets as well, before it ends', async () => {
    const folder = temporaryFolder()
    const hook = await receiver()
    writeFileSync(
      `${folder}/config.yaml`,
      `notify: [{ name: ops, url: "${hook.url}", events: [run.*], secret: a secret of enough bytes }]\n`,
      { mode: 0o600 }
    )
    writeFileSync(`${folder}/a.yaml`, 'steps: [echo]\n')
    const { code } = program(folder, { ENGINE_HOME: folder }, 'start', 'a.yaml')
    expect(await code).to.equal(0)
    expect(hook.types().sort()).to.deep.equal(['run.started', 'run.succeeded'])
  })
})
