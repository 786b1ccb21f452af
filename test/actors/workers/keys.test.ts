/** What the enrolment says about a worker that speaks. Source: distribution 1 (D12), 6 (keys). */
import { expect } from 'chai'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import type { Enrolment } from '../../../src/bus/enrolment.ts'
import { type Answer, answerIn, written } from '../../../src/bus/messages.ts'
import { A, B, helloOf, roomScene, subjects } from '../../support/worker/room-scene.ts'

const C = 'cccccccccccccccc'
const publicKey = `U${'A'.repeat(55)}`
const enrolled: Enrolment = { revision: 1, workers: [{ id: 'wa', home: A, publicKey, enrolledAt: 1 }] }

describe('actors › workers with keys', () => {
  const scene = roomScene()

  it('D12 a worker has the name of its key, nobody else has it, and a revoked one is shown as such and gets nothing', async () => {
    let enrolment = enrolled
    const takers: string[] = []
    const room = await scene.room(
      'engine',
      {},
      { enrolment: () => enrolment, changed: (home, worker) => takers.push(`${home[0]} ${worker?.isTaking}`) }
    )
    async function hello(home: string, id: string): Promise<Answer> {
      const said = written({ kind: 'hello', ...helloOf(home, { id, session: '1-a' }) })
      const asked = scene.net.open(`${home} ${id}`).ask(subjects.up(home, 'hello'), said, 500)
      scene.pass(1)
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
  })

  it('a revocation that is found while other news of the worker are told is the last that placements hear', async () => {
    let enrolment = enrolled
    /** Before each transaction, as the engine has it. */
    let look = () => {}
    const transactions = {
      take(work: () => void) {
        look()
        work()
      }
    } as Transactions
    const heard: (boolean | undefined)[] = []
    const room = await scene.room(
      'engine',
      {},
      {
        transactions,
        enrolment: () => enrolment,
        changed: (_home, _worker, latest) => transactions.take(() => heard.push(latest()?.isTaking))
      }
    )
    const say = (slots: number) => {
      const said = written({ kind: 'hello', ...helloOf(A, { session: '1-a', slots }) })
      scene.net.open(`${A} ${slots}`).tell(subjects.up(A, 'hello'), said)
      scene.pass(1)
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
  })
})
