/** A worker that is lost, and comes back: what it was given, and what it says then. Source: distribution 1 (D4, D6, D13), 7, 9. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { logIn, openPlacing, type Placing } from '../../support/cli/placing.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually, together } from '../../support/waiting.ts'

describe('workers › one that is lost', function () {
  this.timeout(180_000)
  needsNats()
  let placing: Placing
  before(async () => {
    placing = await openPlacing({ ENGINE_WORKER_LOST_AFTER: '20s', ENGINE_WORKER_FENCE_AFTER: '45s' })
  })
  after(() => placing?.close())

  // D1572: tests that wait for the same limits wait for them together
  const it = together()
  it('D13 a step that is stopped ends when its worker is lost; back again, the worker ends it, and runs the handler', async () => {
    const file = join(temporaryFolder(), 'begun')
    const worker = placing.worker('wa', ['-l', 'zone=a'])
    await placing.healthy('wa')
    const id = await placing.start(`
name: lost
workerSelector: {zone: a}
steps: [{name: one, script: "echo $$ >${file}; sleep 600"}]
handlerOn: {cancel: {command: 'echo told'}}
`)
    const pid = await pidIn(file)
    worker.child.kill('SIGSTOP')
    await placing.ask(`/dag-runs/lost/${id}/stop`, 'POST')
    await eventually('a reason', () => why('lost', id, 'one was asked to stop'))
    await eventually('that its handler waits', () =>
      why('lost', id, 'onCancel needs another worker than wa, which is lost')
    )
    const { nodes } = await placing.run('lost', id)
    expect([nodes[0]?.statusLabel, nodes[0]?.error]).to.deep.equal([
      'canceled',
      'worker lost: wa silent for 20 s, outcome unknown'
    ])
    const { json } = await placing.ask('/workers')
    const wa = (json as { workers: { id: string }[] }).workers.find(({ id }) => id === 'wa')
    expect(wa).to.deep.include({ status: 'lost' })
    expect(lives(pid), 'nobody could tell it').to.equal(true)
    worker.child.kill('SIGCONT')
    await gone(pid)
    const run = await placing.ended('lost', id)
    expect([run.statusLabel, logIn(run.onCancel?.stdout)]).to.deep.equal(['canceled', 'told\n'])
    await eventually('the entry', async () => (await late('lost', id))[0])
  })
  itLong(
    'D6 a result that comes after its step was declared failed is an entry in the journal; the outcome stays',
    async () => {
      const folder = temporaryFolder()
      const worker = placing.worker('wb', ['-l', 'zone=b'])
      await placing.healthy('wb')
      const id = await placing.start(`
name: late
workerSelector: {zone: b}
steps: [{name: one, script: "echo $$ >${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo done"}]
`)
      const pid = await pidIn(join(folder, 'begun'))
      worker.child.kill('SIGSTOP')
      await eventually('that it is silent', () => why('late', id, 'it is declared lost in'))
      const before = await placing.ended('late', id)
      expect(before.nodes[0]?.error).to.equal('worker lost: wb silent for 20 s, outcome unknown')
      expect(await why('late', id, 'one failed because its worker was lost: wb silent for 20 s')).to.equal(true)
      writeFileSync(join(folder, 'go'), '') // it ends well before the fence would end it
      await gone(pid)
      worker.child.kill('SIGCONT')
      const [entry] = await eventually('the entry', async () => {
        const found = await late('late', id)
        return found.length > 0 ? found : undefined
      })
      expect(entry).to.include({
        actor: `run/late/${id}/node/one`,
        from: 'failed',
        to: 'failed',
        statusLabel: 'failed'
      })
      expect(
        await why('late', id, 'attempt 1 of one, which was given up when wb was lost, has ended there well')
      ).to.equal(true)
      const after = await placing.run('late', id)
      expect([after.statusLabel, after.finishedAt, after.nodes]).to.deep.equal([
        'failed',
        before.finishedAt,
        before.nodes
      ])
      await left('wb')
      expect(await late('late', id), 'one entry').to.have.length(1)
    }
  )
  it('D4 D6 a step begins on another worker after the fence; what the first one says then changes nothing', async () => {
    const folder = temporaryFolder()
    const first = placing.worker('wc', ['-l', 'zone=c'])
    await placing.healthy('wc')
    const id = await placing.start(`
name: twice
workerSelector: {zone: c}
onWorkerLost: requeue
steps: [{name: one, script: "echo $$ >>${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo done"}]
`)
    const pid = await pidIn(join(folder, 'begun'))
    first.child.kill('SIGSTOP')
    placing.worker('wd', ['-l', 'zone=c'])
    await gone(pid, 60_000)
    await eventually('the second execution', () =>
      textOf(join(folder, 'begun')).split('\n').length > 2 ? true : undefined
    )
    first.child.kill('SIGCONT')
    await eventually('the entry', async () => (await late('twice', id))[0])
    expect(await why('twice', id, 'attempt 1 of one, which was given up when wc was lost, has ended there')).to.equal(
      true
    )
    expect((await placing.run('twice', id)).statusLabel).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    const run = await placing.ended('twice', id)
    expect([run.statusLabel, run.workerId, logIn(run.nodes[0]?.stdout)]).to.deep.equal(['succeeded', 'wd', 'done\n'])
  })

  async function why(name: string, id: string, text: string): Promise<true | undefined> {
    const { json } = await placing.ask(`/dag-runs/${name}/${id}/explain`)
    return JSON.stringify(json).includes(text) || undefined
  }
  /** Its entries in the journal. */
  async function late(name: string, id: string): Promise<{ event: string }[]> {
    const { json } = await placing.ask(`/dag-runs/${name}/${id}/journal?limit=1000`)
    return (json as { events: { event: string }[] }).events.filter(({ event }) => event === 'attempt.late')
  }
  /** Nothing is left on a worker of what it was given. */
  async function left(id: string): Promise<void> {
    const folders = ['runs', 'spool'].map((name) => join(placing.homes[id] ?? '', 'worker', name))
    await eventually('nothing left', () =>
      folders.every((folder) => readdirSync(folder).length === 0) ? true : undefined
    )
  }
})
