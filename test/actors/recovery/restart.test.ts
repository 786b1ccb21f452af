/** Restarts in the states of a repeating or delayed run, on a real store. Source: execution-semantics 6.2, 7.1.5; architecture 5. */
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { StoredNode } from '../../../src/store/stored.ts'
import { repeat } from '../../support/charts/plans.ts'
import { crashedIn, ends, nodeOf, one, quick, survivor } from '../../support/engine/crashed-run.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate, type World } from '../../support/simulated/simulation.ts'

const reached = (simulation: Simulation, key: RunKey, state: string) =>
  simulation.journal(key).filter(({ to }) => to === state)

describe('actors › the journal across a restart', () => {
  it('P5 every transition is stored once: no record is overwritten after a restart', async () => {
    const home = temporaryFolder()
    const script = ends(1, 1, 0)
    const first = await simulate(home, script)
    const key = await first.start(one({ retry: { limit: 2, interval: 60_000 } }), 'r')
    await first.play(() => first.journal(key).some(({ to }) => to === 'waiting'))
    const before = first.journal(key)
    await first.crash()
    const again = await simulate(home, script, simulatedClock(first.clock.now() + 5))
    await again.play()
    expect(again.journal(key).slice(0, before.length)).to.deep.equal(before)
    await again.crash()
  })
})

describe('actors › a step that repeats', () => {
  it('the cost of a pass does not grow with their number: what one pass writes is the same for 10 and for 400', async () => {
    const written = async (limit: number) => {
      const { start, play, store } = await simulate(temporaryFolder(), quick)
      let bytes = 0
      for (const database of [store.nodes, store.runs, store.journal] as { put(...args: unknown[]): unknown }[]) {
        const put = database.put.bind(database)
        database.put = (...args) => {
          bytes += JSON.stringify(args[1]).length
          return put(...args)
        }
      }
      await start(one({ repeat: repeat({ limit, intervalMs: 60_000 }) }), 'r')
      await play()
      await store.root.close()
      return bytes / limit
    }
    const [few, many] = [await written(10), await written(400)]
    expect(many).to.be.below(few * 1.05)
  })

  it('a restart in the wait: its instant is kept, and so are the counts', async () => {
    const given = one({ repeat: repeat({ intervalMs: 3_600_000, limit: 2 }) })
    const { again, key } = await crashedIn('repeating', given, { later: 1_800_000 })
    expect(nodeOf(again, key)).to.include({ status: 'running', doneCount: 1 })
    await again.play()
    expect(again.begun).to.deep.equal(['a#2'])
    expect(again.record(key)).to.include({ status: 'succeeded' })
    const second = reached(again, key, 'attempting.executing')[1]
    expect((second?.at ?? 0) - (again.record(key)?.createdAt ?? 0), 'the wait began before the restart').to.equal(
      3_601_000
    )
    expect(nodeOf(again, key)).to.include({ status: 'succeeded', doneCount: 2 })
    await again.store.root.close()
  })

  it('the wait ended while no engine was running: the next pass begins at once', async () => {
    const given = one({ repeat: repeat({ intervalMs: 60_000, limit: 2 }) })
    const { again, key } = await crashedIn('repeating', given, { later: 600_000 })
    const back = again.clock.now()
    await again.play()
    expect(reached(again, key, 'attempting.executing')[1]?.at).to.equal(back)
    await again.store.root.close()
  })

  it('a restart while its condition is evaluated: it is evaluated again, no pass is executed twice', async () => {
    const asked: string[][] = []
    const capture: World['capture'] = async ({ argv }) => {
      asked.push(argv)
      return { exitCode: 1, cause: 'exit status 1', stdout: '', stderr: '' }
    }
    const given = one({ repeat: repeat({ mode: 'while', condition: { condition: 'test -f go' } }) })
    const { again, key } = await crashedIn('testing', given, {
      before: { capture: () => new Promise(() => {}) },
      after: { capture }
    })
    await again.play()
    expect(again.begun).to.deep.equal([])
    expect(asked).to.deep.equal([['sh', '-e', '-c', 'test -f go']])
    expect(nodeOf(again, key)).to.include({ status: 'succeeded', doneCount: 1 })
    await again.store.root.close()
  })

  it('a restart in a pass: it is resumed like an attempt, and counts once', async () => {
    const given = one({ repeat: repeat({ limit: 2 }) })
    const { again, key } = await crashedIn('attempting.executing', given, {})
    await again.play()
    expect(again.begun).to.deep.equal(['a#1', 'a#2'])
    expect(nodeOf(again, key)).to.include({ status: 'succeeded', doneCount: 2 })
    await again.store.root.close()
  })

  it('7.3.5 a restart in the last pass of a stopped run: it finishes, and is killed when the grace period is over', async () => {
    for (const kills of [false, true]) {
      const home = temporaryFolder()
      const given = one({ repeat: repeat() }, { cleanUpMs: 10_000 })
      const first = await simulate(home, () => ({ ms: 60_000, exitCode: 0 }))
      const key = await first.start(given, 'r')
      await first.play(() => first.begun.length === 1)
      await first.system.stop(key)
      await first.play(() => reached(first, key, 'attempting.finishing').length > 0)
      const stoppedAt = first.clock.now()
      await first.crash()
      const { running, signals, end } = survivor()
      const clock = simulatedClock(stoppedAt + 4_000)
      const again = await simulate(home, quick, clock, { find: () => running })
      await again.play(() => reached(again, key, 'attempting.finishing').length > 1) // the event that says it was found
      if (kills) {
        await again.play(() => signals.length > 0)
        expect(signals).to.deep.equal(['kill'])
        expect(clock.now()).to.equal(stoppedAt + 10_000)
        end(-1, 'killed')
      } else end(0)
      await again.play()
      expect(nodeOf(again, key)).to.include({ status: kills ? 'canceled' : 'succeeded', doneCount: kills ? 0 : 1 })
      expect(again.record(key)).to.include({ status: kills ? 'canceled' : 'succeeded' })
      await again.store.root.close()
    }
  })

  it('6.2.3 a loop that goes on after failed passes ends with the status of its last', async () => {
    const { start, play, store, begun } = await simulate(temporaryFolder(), ends(1, 2, 0))
    const key = await start(one({ repeat: repeat({ mode: 'until', exitCodes: [0] }) }), 'r')
    await play()
    expect(begun).to.deep.equal(['a#1', 'a#2', 'a#3'])
    const record = store.nodes.get([key.name, key.dagRunId, 0])?.record
    expect(record).to.include({ status: 'succeeded', doneCount: 3, retryCount: 0 })
    expect(record).not.to.have.any.keys('error', 'signal')
    await store.root.close()
  })
})

describe('actors › 7.1.5 a delayed run', () => {
  it('a restart in the delay: its instant is kept', async () => {
    const { again, key } = await crashedIn('delaying', one({}, { delayMs: 3_600_000 }), { later: 1_800_000 })
    await again.play()
    expect(again.begun).to.deep.equal(['a#1'])
    const created = again.record(key)?.createdAt ?? 0
    expect((reached(again, key, 'attempting.executing')[0]?.at ?? 0) - created).to.equal(3_600_000)
    await again.store.root.close()
  })
})

describe('actors › an engine that closes', () => {
  it('P8 right after a transition, before that is stored: the states of its actors are stored as they were before the close', async () => {
    for (const what of ['a stop', 'a time limit'] as const) {
      const home = temporaryFolder()
      const clock = simulatedClock()
      const script: Script = () => ({ ms: 60_000, exitCode: 0, is: 'deaf' })
      const first = await simulate(home, script, clock)
      const key = await first.start(one({ timeoutMs: 5_000 }, { cleanUpMs: 3_000 }), 'r')
      await first.play(() => first.begun.length > 0)
      const { soon } = clock
      const closed = new Promise<void>((resolve) => {
        clock.soon = (next) => {
          clock.soon = soon
          resolve(first.system.close())
          soon(next)
        }
      })
      if (what === 'a stop') void first.system.stop(key)
      else clock.goTo(clock.now() + 5_000)
      await closed
      await first.store.root.close()
      const { running, end } = survivor()
      const find = () => ({ ...running, kill: () => end(-1, 'killed') })
      const again = await simulate(home, script, simulatedClock(clock.now() + 5), { find })
      await again.play()
      expect(again.record(key)?.status, what).to.equal(what === 'a stop' ? 'canceled' : 'failed')
      await again.store.root.close()
    }
  })

  it('P7 an earlier release has stored that nothing is running for a step: its run fails with the reason, and does not continue', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, quick)
    const key = await first.start(one({}), 'r')
    await first.play(() => first.begun.length > 0)
    const [entry] = first.store.nodes.getRange()
    if (entry?.value.open) entry.value.open.children = {}
    await first.store.nodes.put(entry?.key ?? [key.name, key.dagRunId, 0], entry?.value as StoredNode)
    await first.crash()
    const again = await simulate(home, quick, simulatedClock(first.clock.now() + 5))
    await again.system.transactions.settled()
    expect(again.record(key)).to.include({
      status: 'failed',
      error: 'state unreadable: what step "a" was doing is not stored, as an earlier release did when it was closed'
    })
    await again.system.close()
    await again.crash()
  })
})
