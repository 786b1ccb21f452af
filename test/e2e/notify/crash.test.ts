/** No event is lost when the engine, its disk or its targets fail. Source: docs/notifications.md "When a target does not accept"; reliability P1, P6. */
import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock, uuidV7 } from '../../../src/clock.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit, flushed } from '../../../src/store/commit.ts'
import { openStore } from '../../../src/store/open.ts'
import { putDelivery } from '../../../src/store/tables/deliveries.ts'
import { runningServer } from '../../support/cli/program.ts'
import { accepts, closeReceivers, receiver } from '../../support/engine/receiver.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

afterEach(closeReceivers)

const fileFor = (url: string, events = 'run.*') =>
  `notify:\n  - { name: ops, url: "${url}", events: ["${events}"], secret: a secret of enough bytes, timeout: 30s }\n`
const SPEC = JSON.stringify({ spec: 'name: a\nsteps: [echo]\n' })

interface Listed {
  targets: { name: string; waiting: number; dead: number }[]
  deliveries: { id: string; event: string; error: string }[]
}

async function start(address: string, body = SPEC): Promise<string> {
  const answer = await fetch(`${address}/api/v2/dag-runs`, { method: 'POST', body })
  return ((await answer.json()) as { dagRunId: string }).dagRunId
}
const listed = async (address: string, query = ''): Promise<Listed> =>
  (await (await fetch(`${address}/api/v2/deliveries${query}`)).json()) as Listed
const hasEnded = (address: string, id: string) =>
  eventually('the end of a run', async () => {
    const { dagRun } = (await (await fetch(`${address}/api/v2/dag-runs/a/${id}`)).json()) as {
      dagRun: { finishedAt: string }
    }
    return dagRun.finishedAt !== '' || undefined
  })

describe('notify › kill -9 of the engine', () => {
  it('between an event and its delivery: the next engine delivers it', async () => {
    const port = await freePort()
    const file = fileFor(`http://127.0.0.1:${port}/`)
    const first = await runningServer({}, { file })
    const id = await start(first.address)
    await hasEnded(first.address, id)
    first.child.kill('SIGKILL')
    await first.code
    const hook = await receiver(accepts, port)
    const second = await runningServer({}, { folder: first.folder })
    await eventually('both events', () => (hook.told.length >= 2 ? true : undefined))
    await eventually('nothing waits', async () => (await listed(second.address)).deliveries.length === 0 || undefined)
    expect(hook.types().sort()).to.deep.equal(['run.started', 'run.succeeded'])
    expect(hook.told.map(({ event }) => event.data.dagRunId)).to.deep.equal([id, id])
    await second.end()
  })

  it('while a receiver is about to answer: it is told again, with the same id', async () => {
    const hook = await receiver(() => {}) // it has understood, but says nothing
    const first = await runningServer({}, { file: fileFor(hook.url, 'run.succeeded') })
    await start(first.address)
    const [told] = await eventually('the event', () => (hook.told.length > 0 ? hook.told : undefined))
    first.child.kill('SIGKILL')
    await first.code
    hook.answers(accepts)
    const second = await runningServer({}, { folder: first.folder })
    const again = await eventually('the event again', () => hook.told[1])
    expect([again.event.id, again.headers['webhook-id'], again.body]).to.deep.equal([
      told?.event.id,
      told?.event.id,
      told?.body
    ])
    await eventually('nothing waits', async () => (await listed(second.address)).deliveries.length === 0 || undefined)
    expect(hook.told).to.have.length(2)
    await second.end()
  })

  itLong(
    'a target that is not configured any more leaves dead letters, which go when it is back and asked for',
    async () => {
      const port = await freePort()
      const file = fileFor(`http://127.0.0.1:${port}/`)
      const first = await runningServer({}, { file })
      await hasEnded(first.address, await start(first.address))
      await first.end()
      const second = await runningServer({}, { folder: first.folder, file: 'debug: false\n' })
      const { targets } = await eventually('dead letters', async () => {
        const found = await listed(second.address)
        return found.targets[0]?.dead === 2 ? found : undefined
      })
      expect(targets[0]).to.include({ name: 'ops', configured: false, waiting: 0 })
      const { deliveries } = await listed(second.address, '?state=dead')
      expect(new Set(deliveries.map(({ error }) => error))).to.deep.equal(
        new Set(['notify has no target of this name any more'])
      )
      const refused = await fetch(`${second.address}/api/v2/deliveries/ops/retry`, { method: 'POST' })
      expect(refused.status).to.equal(400)
      await second.end()
      const hook = await receiver(accepts, port)
      const third = await runningServer({}, { folder: first.folder, file })
      const retried = await fetch(`${third.address}/api/v2/deliveries/ops/retry`, { method: 'POST' })
      expect(await retried.json()).to.deep.equal({ count: 2 })
      await eventually('both events', () => (hook.told.length === 2 ? true : undefined))
      await third.end()
    }
  )
})

describe('notify › a full disk', () => {
  it('nobody is told what is not stored yet; when there is space again, everybody is', async () => {
    const hook = await receiver()
    const server = await runningServer({}, { file: fileFor(hook.url, 'run.succeeded') })
    const go = join(server.folder, 'go')
    let count = 0
    const spec = `name: a\nsteps: ['while [ ! -e ${go} ]; do sleep 0.05; done']\n`
    await start(server.address, JSON.stringify({ spec }))
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${bytes}:`])
    limit(statSync(join(server.folder, 'data/troupe.mdb')).size)
    await eventually('a disk that is full', async () => {
      const other = JSON.stringify({ spec: `name: other-${++count}\nsteps: [echo]\n` })
      void start(server.address, other).catch(() => {})
      return (await fetch(`${server.address}/api/v2/health`)).status === 503 || undefined
    })
    const before = hook.told.length
    writeFileSync(go, '')
    await new Promise((resolve) => setTimeout(resolve, 1_000)) // it would be told by now
    expect(hook.told).to.have.length(before)
    limit('unlimited')
    await eventually('the event', () => (hook.told.length > before ? true : undefined))
    await eventually('nothing waits', async () => (await listed(server.address)).deliveries.length === 0 || undefined)
    const ids = hook.told.map(({ event }) => event.data.dagRunId)
    expect(new Set(ids).size, 'each once').to.equal(ids.length)
    await server.end()
  })
})

describe('notify › thousands of events for a target that is dead', () => {
  itLong(
    'memory stays bounded, /health is answered, the oldest give way, and another target is told at once',
    async function () {
      this.retries(WHEN_BUSY)
      const folder = temporaryFolder()
      const most = 10_000
      await storeMany(folder, most + 1_000)
      const hook = await receiver()
      const file =
        fileFor(`http://127.0.0.1:${await freePort()}/`) +
        `  - { name: good, url: "${hook.url}", events: [run.succeeded], secret: a secret of enough bytes }\n`
      const server = await runningServer({}, { folder, file })
      await eventually('the oldest as dead letters', async () => {
        expect((await fetch(`${server.address}/api/v2/health`)).status).to.equal(200)
        const { targets } = await listed(server.address, '?limit=1')
        return (targets[0]?.dead ?? 0) >= 1_000 ? true : undefined
      })
      const { targets, deliveries } = await listed(server.address, '?limit=1')
      expect(targets[0]?.waiting).to.be.at.most(most)
      expect(deliveries[0]?.error).to.contain(`more than ${most} were waiting for this target, and this was the oldest`)
      await start(server.address)
      await eventually('the event for the other target', () => (hook.told.length === 1 ? true : undefined))
      const metrics = await (await fetch(`${server.address}/api/v2/metrics`)).text()
      const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1])
      expect(resident / 2 ** 20).to.be.lessThan(400)
      await server.end()
    }
  )
})

/** What an engine with a dead target leaves. */
async function storeMany(folder: string, count: number): Promise<void> {
  const store = openStore(join(folder, 'data'))
  const at = Date.now()
  const changes = noChanges()
  for (let n = 0; n < count; n++)
    putDelivery(changes, ['waiting', 'ops', uuidV7(systemClock)], {
      event: 'run.failed',
      run: { name: 'a', dagRunId: `r${n}` },
      at,
      body: JSON.stringify({ n, x: 'x'.repeat(800) }),
      attempts: 0,
      dueAt: at,
      giveUpAt: at + 86_400_000
    })
  await commit(store, [changes])
  await flushed(store)
  await store.root.close()
}
