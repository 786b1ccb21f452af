/** What the enrolment says about a worker that speaks. Source: distribution 1 (D12), 6 (keys). */
import { join } from 'node:path'
import { expect } from 'chai'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import { openWorkers } from '../../../src/actors/workers/workers.ts'
import type { Enrolment } from '../../../src/bus/enrolment.ts'
import { type Answer, answerIn, type Hello, subjectsOf, written } from '../../../src/bus/messages.ts'
import { openStore } from '../../../src/store/open.ts'
import { beginEpoch } from '../../../src/store/tables/workers.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const [A, B, C] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb', 'cccccccccccccccc']
const publicKey = `U${'A'.repeat(55)}`

describe('actors › workers with keys', () => {
  it('D12 a worker has the name of its key, nobody else has it, and a revoked one is shown as such and gets nothing', async () => {
    const clock = simulatedClock()
    const store = openStore(join(temporaryFolder(), 'data'))
    const net = simulatedNet(clock)
    let enrolment: Enrolment = { revision: 1, workers: [{ id: 'wa', home: A, publicKey, enrolledAt: 1 }] }
    const takers: string[] = []
    const room = openWorkers({
      bus: net.open('engine'),
      clock,
      store,
      version: '1',
      cluster: 't',
      lostAfterMs: 30_000,
      engine: await beginEpoch(store, clock),
      transactions: { take: (work: () => void) => work() } as Transactions, // the only member that alarms use
      enrolment: () => enrolment,
      fenceAfterMs: 60_000,
      neededHomes: () => [],
      tellRuns: () => {},
      isComplete: () => true,
      openRuns: () => new Set(),
      hasRuns: () => false,
      stopRuns: () => {},
      changed: (home, worker) => takers.push(`${home[0]} ${worker?.isTaking}`),
      fault: (error) => {
        throw error
      }
    })
    async function hello(home: string, id: string): Promise<Answer> {
      const self: Hello = {
        v: 1,
        minV: 1,
        id,
        home,
        session: '1-a',
        labels: {},
        slots: 4,
        version: '1',
        host: 'box',
        pid: 7,
        executors: ['shell']
      }
      const asked = net
        .open(`${home} ${id}`)
        .ask(subjectsOf('t').up(home, 'hello'), written({ kind: 'hello', ...self }), 500)
      clock.goTo(clock.now() + 1)
      return answerIn(await asked)
    }
    const shown = () => room.list().map(({ id, status, health, refusal }) => `${id} ${status} ${health} ${refusal}`)
    const refused = (text: string) => ({ kind: 'refused', why: 'refused', text })

    expect((await hello(A, 'wa')).kind).to.equal('welcome')
    expect(await hello(B, 'wa')).to.deep.equal(refused('the name wa belongs to the holder of a key'))
    expect((await hello(C, 'wc')).kind).to.equal('welcome')
    expect(await hello(A, 'wx')).to.include({ text: 'it calls itself wx, and its key is that of wa' })
    expect(shown()).to.include.members(['wa serving healthy ', 'wc serving healthy '])

    takers.length = 0
    enrolment = { revision: 2, workers: enrolment.workers.map((one) => ({ ...one, revokedAt: 2 })) }
    room.enrolmentChanged()
    expect(takers).to.deep.equal(['a false'])
    expect(shown()).to.include('wa incompatible unhealthy its key was revoked')
    expect(await hello(A, 'wa')).to.include({ text: 'its key was revoked' })

    enrolment = { revision: 3, workers: [{ id: 'wa', home: A, publicKey, enrolledAt: 3 }] }
    room.enrolmentChanged()
    expect([takers.at(-1), (await hello(A, 'wa')).kind]).to.deep.equal(['a true', 'welcome'])
    expect(shown()).to.include('wa serving healthy ')
    await room.close()
    await store.root.close()
  })

  it('a revocation that is found while other news of the worker are told is the last that placements hear', async () => {
    const clock = simulatedClock()
    const store = openStore(join(temporaryFolder(), 'data'))
    const net = simulatedNet(clock)
    let enrolment: Enrolment = { revision: 1, workers: [{ id: 'wa', home: A, publicKey, enrolledAt: 1 }] }
    /** Before each transaction, as the engine has it. */
    let look = () => {}
    const transactions = {
      take(work: () => void) {
        look()
        work()
      }
    } as Transactions
    const heard: (boolean | undefined)[] = []
    const room = openWorkers({
      bus: net.open('engine'),
      clock,
      store,
      version: '1',
      cluster: 't',
      lostAfterMs: 30_000,
      engine: await beginEpoch(store, clock),
      transactions,
      enrolment: () => enrolment,
      fenceAfterMs: 60_000,
      neededHomes: () => [],
      tellRuns: () => {},
      isComplete: () => true,
      openRuns: () => new Set(),
      hasRuns: () => false,
      stopRuns: () => {},
      changed: (_home, _worker, latest) => transactions.take(() => heard.push(latest()?.isTaking)),
      fault: (error) => {
        throw error
      }
    })
    const say = (slots: number) => {
      const self = { v: 1, minV: 1, id: 'wa', home: A, session: '1-a', labels: {}, slots, version: '1', host: 'box' }
      const said = written({ kind: 'hello', ...self, pid: 7, executors: ['shell'] } as { kind: 'hello' } & Hello)
      net.open(`${A} ${slots}`).tell(subjectsOf('t').up(A, 'hello'), said)
      clock.goTo(clock.now() + 1)
    }
    say(4)
    expect(heard).to.deep.equal([true])
    look = () => {
      look = () => {}
      enrolment = { revision: 2, workers: enrolment.workers.map((one) => ({ ...one, revokedAt: 2 })) }
      room.enrolmentChanged()
    }
    say(5)
    expect(heard.slice(1)).to.deep.equal([false, false])
    await room.close()
    await store.root.close()
  })
})
