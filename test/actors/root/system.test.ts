/** The actors on a real store under simulated time. Source: architecture 1, 2, 5. */
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { expect } from 'chai'
import type { Changes } from '../../../src/store/changes.ts'
import { openWriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { simulate } from '../../support/simulated/simulation.ts'

const chain = (steps: number) =>
  `name: chain\nsteps:\n${Array.from({ length: steps }, (_, i) => `  - name: s${i}\n    command: x\n`).join('')}`
const retrying =
  'name: retrying\nsteps:\n  - name: flaky\n    command: x\n    retryPolicy: { limit: 2, intervalSec: 3600 }\n'

describe('actors › a transaction', () => {
  it('the cost of a transaction does not grow with the size of the run: what one step changes is the same in 10 and in 400', async () => {
    const written = async (steps: number) => {
      const { start, play, store } = await simulate(temporaryFolder(), () => ({ ms: 1, exitCode: 0 }))
      let bytes = 0
      for (const database of [store.nodes, store.runs, store.journal] as { put(...args: unknown[]): unknown }[]) {
        const put = database.put.bind(database)
        database.put = (...args) => {
          bytes += JSON.stringify(args[1]).length
          return put(...args)
        }
      }
      await start(chain(steps), 'r')
      await play()
      await store.root.close()
      return bytes / steps
    }
    const [few, many] = [await written(10), await written(400)]
    expect(many).to.be.below(few * 1.05)
  })

  it('the cost of a start does not grow with the size of its definition once that is stored', async () => {
    const appended = async (steps: number) => {
      const home = temporaryFolder()
      const sizes: number[] = []
      const { start, play, system, store } = await simulate(home, () => ({ ms: 1, exitCode: 0 }), simulatedClock(), {
        stored() {
          const ahead = openWriteAhead(join(home, 'ahead'))
          const append = (changes: Changes) => {
            sizes.push(serialize(changes).length)
            ahead.append(changes)
          }
          return { store: openStore(join(home, 'data')), ahead: { ...ahead, append } }
        }
      })
      const spec = `maxActiveRuns: -1\n${chain(steps)}`
      await start(spec, 'r1')
      const [first = 0] = sizes
      await play() // nothing of the first one comes between
      sizes.splice(0)
      await start(spec, 'r2')
      const [second = 0] = sizes
      await system.close()
      await store.root.close()
      return { first, second }
    }
    const [few, many] = [await appended(2), await appended(400)]
    expect(many.first).to.be.above(few.first * 10)
    expect(many.second).to.be.within(few.second * 0.8, few.second * 1.2)
  })

  it('equal seed, equal journal', async () => {
    const journal = async () => {
      const clock = simulatedClock()
      const { start, play, journal, store } = await simulate(
        temporaryFolder(),
        (step, n) => ({ ms: step.length * 7 + n, exitCode: n < 2 ? 1 : 0 }),
        clock
      )
      const key = await start(retrying, 'r')
      await play()
      const records = journal(key)
      await store.root.close()
      return records
    }
    const first = await journal()
    expect(first).to.have.length.above(5)
    expect(first).to.deep.equal(await journal())
  })

  it('the journal says who, when, what, from where to where, and why', async () => {
    const { start, play, journal, store } = await simulate(temporaryFolder(), () => ({ ms: 5, exitCode: 0 }))
    const key = await start('name: one\nsteps:\n  - name: a\n    command: x\n', 'r')
    await play()
    const records = journal(key)
    expect(records.map(({ seq }) => seq)).to.deep.equal(records.map((_, index) => index + 1))
    const node = records.filter(({ actor }) => actor === 'run/one/r/node/a')
    expect(node.map(({ from, to }) => [from, to])).to.deep.equal([
      ['', 'attempting.executing'],
      ['attempting.executing', 'succeeded']
    ])
    const done = records.find(({ event }) => event === 'xstate.done.actor.node/a')
    expect(done, 'the end of the node is the cause').to.include({ actor: 'run/one/r', cause: node[1]?.seq })
    await store.root.close()
  })
})

describe('actors › a restart', () => {
  it('keeps its place in a retry wait: the alarm has an absolute due time', async () => {
    const home = temporaryFolder()
    const clock = simulatedClock()
    const failsOnce = (_: string, n: number) => ({ ms: 1_000, exitCode: n === 1 ? 1 : 0 })
    const before = await simulate(home, failsOnce, clock)
    const key = await before.start(retrying, 'r')
    await before.play(() => before.journal(key).some(({ to }) => to === 'waiting'))
    await before.crash()
    const later = simulatedClock(clock.now() + 1_800_000)
    const after = await simulate(home, failsOnce, later)
    await after.play()
    const node = after.journal(key).find(({ actor, to }) => actor.endsWith('/node/flaky') && to === 'succeeded')
    expect(after.record(key)).to.include({ status: 'succeeded' })
    expect(after.begun).to.deep.equal(['flaky#2'])
    expect((node?.at ?? 0) - (after.record(key)?.createdAt ?? 0), 'the wait began before the restart').to.equal(
      3_602_000
    )
    await after.store.root.close()
  })

  it('an attempt on record is looked for, not started as a new one', async () => {
    const home = temporaryFolder()
    const before = await simulate(home, () => ({ ms: 60_000, exitCode: 0 }))
    const key = await before.start(chain(2), 'r')
    await before.play(() => before.begun.length === 1)
    await before.crash()
    const after = await simulate(home, () => ({ ms: 1, exitCode: 0 }), simulatedClock(before.clock.now() + 5))
    await after.play()
    expect(after.begun).to.deep.equal(['s0#1', 's1#1'])
    expect(after.record(key)).to.include({ status: 'succeeded' })
    await after.store.root.close()
  })

  it('P5 each transition is stored once: numbers continue where they were, also those of nodes alone', async () => {
    const home = temporaryFolder()
    const before = await simulate(home, () => ({ ms: 1_000, exitCode: 1 }))
    const key = await before.start(retrying, 'r')
    // In the wait for its retry the node has moved since the run last did.
    await before.play(() => before.journal(key).some(({ to }) => to === 'waiting'))
    const known = before.journal(key)
    await before.crash()
    const after = await simulate(home, () => ({ ms: 1_000, exitCode: 0 }), simulatedClock(before.clock.now() + 5))
    await after.play()
    expect(after.journal(key).slice(0, known.length)).to.deep.equal(known)
    expect(after.journal(key).map(({ seq }) => seq)).to.deep.equal(after.journal(key).map((_, index) => index + 1))
    await after.store.root.close()
  })
})
