/** Deliveries on a virtual clock and a store in memory: pace, order, limits, restarts. Source: docs/notifications.md "When a target does not accept". */
import { expect } from 'chai'
import type { PostOutcome } from '../../../machines/policy/delivery.ts'
import { openTransactions } from '../../../src/actors/journal/transactions.ts'
import { openDeliveries } from '../../../src/actors/notify/deliveries.ts'
import { openNotices } from '../../../src/actors/notify/notices.ts'
import type { NotifyTarget } from '../../../src/actors/notify/target.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit } from '../../../src/store/commit.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { deliveriesFrom, deliveryCount, putDelivery } from '../../../src/store/tables/deliveries.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const target = (name: string, more: Partial<NotifyTarget> = {}): NotifyTarget => ({
  name,
  url: { reveal: () => 'http://127.0.0.1:1/' },
  events: ['worker.lost'],
  subRuns: false,
  params: false,
  secrets: [],
  headers: {},
  timeoutMs: 10_000,
  maxAttempts: 25,
  giveUpAfterMs: 86_400_000,
  ...more
})

/** A request that was not answered yet. */
interface Asked {
  target: string
  id: string
  answer(outcome: PostOutcome): void
}

describe('actors › deliveries', () => {
  const stores: Store[] = []
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    for (const store of stores.splice(0)) await store.root.close()
  })

  /** An engine as far as it delivers. @param store of the engine before it */
  async function given(targets: NotifyTarget[], { mostWaiting = 10_000, store = openStore(temporaryFolder()) } = {}) {
    const clock = simulatedClock()
    const asked: Asked[] = []
    const fault = (error: unknown) => {
      throw error
    }
    const ahead = { append: () => {}, clear: () => {}, close: () => {} }
    const transactions = openTransactions(store, ahead, clock, false, fault)
    const changes: string[] = []
    const deliveries = openDeliveries({
      store,
      clock,
      transactions,
      targets,
      mostWaiting,
      fault,
      changed: (name, isFailing) => changes.push(`${name} ${isFailing ? 'fails' : 'accepts'}`),
      posting: ({ name }) => ({
        post: (id) => new Promise((resolve) => asked.push({ target: name, id, answer: resolve })),
        close: async () => {}
      })
    })
    const sender = { source: 'urn:troupe:test' }
    const notices = openNotices({ store, clock, targets, sender, added: deliveries.added })
    /** Lets time pass; what is written meanwhile is on the disk after that. */
    async function pass(ms: number): Promise<void> {
      for (const part of [0, 30, ms, 30]) {
        clock.goTo(clock.now() + part)
        for (let n = 0; n < 6; n++) await new Promise<void>((resolve) => setImmediate(resolve))
      }
      await transactions.settled()
      clock.goTo(clock.now() + 1)
      for (let n = 0; n < 6; n++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    async function passUntil(isSo: () => boolean): Promise<void> {
      for (let n = 0; n < 1_000 && !isSo(); n++) await pass(30)
      expect(isSo()).to.equal(true)
    }
    async function happen(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        void notices.worker(transactions, 'worker.lost', { id: `w${n}`, runs: 0 })
        clock.goTo(clock.now() + 1)
      }
      await pass(10)
    }
    const end = async () => {
      const closed = deliveries.close()
      for (let n = 0; n < 400; n++) {
        clock.goTo(clock.now() + 20)
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      await closed
    }
    closing.push(end)
    if (!stores.includes(store)) stores.push(store)
    await pass(1)
    return { clock, asked, deliveries, changes, pass, passUntil, happen, store, end, transactions }
  }
  const figure = ({ deliveries }: Awaited<ReturnType<typeof given>>, name: string) =>
    deliveries.figures().find((one) => one.name === name)

  it('a target gets four at a time, the oldest first; one that does not answer holds up no other', async () => {
    const scene = await given([target('slow'), target('quick')])
    await scene.happen(10)
    const of = (name: string) => scene.asked.filter((one) => one.target === name)
    expect(of('slow')).to.have.length(4)
    expect(of('slow').map(({ id }) => id)).to.deep.equal(
      of('slow')
        .map(({ id }) => id)
        .sort()
    )
    for (let n = 0; n < 10; n++) {
      of('quick')[n]?.answer({ status: 204 })
      await scene.pass(1)
    }
    expect(figure(scene, 'quick')).to.deep.include({ waiting: 0, counts: { delivered: 10, failed: 0, dead: 0 } })
    expect([of('slow').length, figure(scene, 'slow')?.waiting]).to.deep.equal([4, 10])
  })

  it('a target that fails gets one at a time, after a pause; when it accepts, four again. Both are told once', async () => {
    const scene = await given([target('ops')])
    await scene.happen(10)
    for (const { answer } of scene.asked.splice(0)) answer({ status: 503 })
    await scene.pass(1)
    expect(scene.asked, 'the pause').to.have.length(0)
    await scene.pass(1_000)
    expect(scene.asked).to.have.length(1)
    scene.asked.splice(0)[0]?.answer({ status: 204 })
    await scene.pass(1)
    expect(scene.asked).to.have.length(4)
    expect(scene.changes).to.deep.equal(['ops fails', 'ops accepts'])
  })

  it('the oldest of too many become dead letters; at most so many wait', async () => {
    const scene = await given([target('ops')], { mostWaiting: 20 })
    await scene.happen(50)
    await scene.passUntil(() => deliveryCount(scene.store, 'dead', 'ops') === 30)
    expect(figure(scene, 'ops')?.waiting).to.equal(20)
    expect(deliveryCount(scene.store, 'waiting', 'ops')).to.equal(20)
    const [first] = deliveriesFrom(scene.store, 'dead', 'ops', undefined, 1)
    expect(first?.value.error).to.equal('more than 20 were waiting for this target, and this was the oldest')
    const sent = new Set(scene.asked.map(({ id }) => id))
    const dead = deliveriesFrom(scene.store, 'dead', 'ops', undefined, 100).map(({ key }) => key[2])
    expect(
      dead.filter((id) => sent.has(id)),
      'what is being sent does not give way'
    ).to.deep.equal([])
  })

  it('the next engine goes on with what waits: attempts that have failed count, and none begins before its time', async () => {
    const first = await given([target('ops')])
    await first.happen(1)
    first.asked[0]?.answer({ status: 500 })
    await first.pass(1)
    closing.splice(0)
    await first.end()
    const second = await given([target('ops')], { store: first.store })
    expect(second.asked).to.have.length(0)
    const [stored] = deliveriesFrom(second.store, 'waiting', 'ops', undefined, 1)
    expect(stored?.value).to.include({ attempts: 1, error: 'it answered 500' })
    second.clock.goTo(stored?.value.dueAt ?? 0)
    await second.pass(1)
    expect(second.asked.map(({ id }) => id)).to.deep.equal(first.asked.map(({ id }) => id))
  })

  it('two who ask for the same dead letters have them delivered once', async () => {
    const scene = await given([target('ops')])
    await scene.happen(2)
    for (const { answer } of scene.asked.splice(0)) answer({ status: 410 })
    await scene.pass(1)
    const counts = Promise.all([scene.deliveries.retry('ops'), scene.deliveries.retry('ops')])
    for (let n = 0; n < 3; n++) await scene.pass(30)
    expect(await counts).to.deep.equal([2, 0])
    for (const { answer } of scene.asked) answer({ status: 204 })
    await scene.pass(30)
    expect(scene.asked).to.have.length(2)
    expect(figure(scene, 'ops')).to.deep.include({ waiting: 0, counts: { delivered: 2, failed: 0, dead: 2 } })
  })

  it('dead letters go after 30 days, and the oldest of more than 10,000', async () => {
    const store = openStore(temporaryFolder())
    const clock = simulatedClock()
    const at = clock.now()
    const changes = noChanges()
    const dead = (name: string, n: number, deadAt: number) => {
      const id = `${n.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`
      const value = { event: 'run.failed', at: deadAt, body: '{}', attempts: 1, dueAt: 0, giveUpAt: 0, deadAt }
      putDelivery(changes, ['dead', name, id], value)
    }
    for (let n = 0; n < 5; n++) dead('old', n, at - (n < 3 ? 31 : 29) * 86_400_000)
    for (let n = 0; n < 10_005; n++) dead('many', n, at)
    await commit(store, [changes])
    const scene = await given([target('old')], { store })
    const counts = () => ['old', 'many'].map((name) => deliveryCount(store, 'dead', name))
    await scene.passUntil(() => counts().join() === '2,10000')
    const [first] = deliveriesFrom(store, 'dead', 'many', undefined, 1)
    expect(first?.key[2].slice(0, 8)).to.equal('00000005')
  })
})
