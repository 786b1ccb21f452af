/** Recorded runs read back: what is stored in a transaction is what the journal says of its events. Source: docs/inspect.md. */
import { expect } from 'chai'
import type { Plan, RunKey } from '../../machines/vocabulary.ts'
import { pathOf } from '../../src/actors/journal/recorded.ts'
import { placesOf, storedContext } from '../../src/inspect/contexts.ts'
import { nodeIn } from '../../src/inspect/replay.ts'
import { openReplays } from '../../src/inspect/replays.ts'
import { planOf } from '../../src/store/history.ts'
import type { Store } from '../../src/store/open.ts'
import type { StoredNode, StoredRun } from '../../src/store/stored.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate } from '../support/simulated/simulation.ts'

/** Entries of runs and nodes as they were put, after which event of their run. */
interface Put {
  key: RunKey
  seq: number
  run?: StoredRun
  node?: { place: number | string; value: StoredNode }
}

/** Watches what is put into a store. The journal of a transaction is put after its states: its last number is theirs. */
function watched({ runs, nodes, journal, root }: Store): Put[] {
  const puts: Put[] = []
  const open: Put[] = []
  let isSealed = false
  const add = (put: Put) => {
    if (isSealed) puts.push(...open.splice(0))
    isSealed = false
    open.push(put)
  }
  const watch = (database: unknown, note: (key: never, value: never) => void) => {
    const put = (database as { put(...args: unknown[]): unknown }).put.bind(database)
    Object.assign(database as object, {
      put: (key: never, value: never) => {
        note(key, value)
        return put(key, value)
      }
    })
  }
  watch(runs, ([name, dagRunId]: [string, string], run: StoredRun) =>
    add({ key: { name, dagRunId }, seq: 0, run: structuredClone(run) })
  )
  watch(nodes, ([name, dagRunId, place]: [string, string, number | string], value: StoredNode) =>
    add({ key: { name, dagRunId }, seq: 0, node: { place, value: structuredClone(value) } })
  )
  watch(journal, ([name, dagRunId, seq]: [string, string, number]) => {
    isSealed = true
    for (const put of open) if (put.key.name === name && put.key.dagRunId === dagRunId) put.seq = Math.max(put.seq, seq)
  })
  const batch = root.batch.bind(root)
  root.batch = ((work: () => void) =>
    batch(() => {
      work()
      puts.push(...open.splice(0))
    })) as typeof root.batch
  return puts
}

/** @param isAnew each is looked at by somebody who has read nothing yet @returns entries compared */
function compare(store: Store, puts: Put[], isAnew = false): number {
  let replays = openReplays(store)
  let compared = 0
  // The last entry of a key in a transaction is what it leaves.
  for (const { key, seq, run, node } of puts) {
    if (seq === 0) continue // a retry puts nodes back without an event of their own
    const hash = (run?.record ?? store.runs.get([key.name, key.dagRunId])?.record)?.plan ?? ''
    const plan = planOf(store, hash)?.plan as Plan
    if (isAnew) replays = openReplays(store)
    const state = replays.at(key, seq)
    const address = `run/${key.name}/${key.dagRunId}`
    const { places } = placesOf(plan, address)
    const title = `${address}, event ${seq}`
    if (run) {
      expect(state.status ?? 'queued', title).to.equal(run.record.status)
      const actor = state.actors.get(address)
      if (run.open && actor) {
        const { key: _key, ...context } = run.open.context
        expect([actor.path, storedContext(actor, plan, undefined)], title).to.deep.equal([
          pathOf(run.open.value),
          context
        ])
        compared++
      }
    }
    if (!node) continue
    const placed = places.find(({ place }) => place === node.place)
    if (!placed) throw new Error(`no step at ${node.place}`)
    const { stdout: _stdout, stderr: _stderr, output: _output, outputMarks: _marks, ...record } = node.value.record
    expect(nodeIn(state, placed.address) ?? state.kept.get(placed.place), title).to.deep.equal(record)
    compared++
    const actor = state.actors.get(placed.address)
    if (!node.value.open || !actor) continue
    const { output: _o, outputMarks: _m, ...context } = node.value.open.context
    expect([actor.path, storedContext(actor, plan, placed)], title).to.deep.equal([
      pathOf(node.value.open.value),
      context
    ])
    compared++
  }
  return compared
}

const numbers = ({ journal }: Simulation, key: RunKey) => journal(key).map(({ seq }) => seq)
const retrying =
  'name: retrying\nsteps:\n  - name: flaky\n    command: x\n    retryPolicy: { limit: 2, intervalSec: 60 }\n  - name: last\n    command: x\n'

describe('inspect › recorded runs', () => {
  it('for a run of 200 nodes with retries, failures and a limit, the state at every event equals what was recorded at that instant', async () => {
    const steps = Array.from(
      { length: 200 },
      (_, i) =>
        `  - name: s${i}\n    command: x\n${i > 4 ? `    depends: [${[...new Set([Math.floor(i / 3), i - 5])].map((n) => `s${n}`).join(', ')}]\n` : ''}` +
        `${i % 7 === 0 ? '    retryPolicy: { limit: 2, intervalSec: 5 }\n' : ''}${i % 41 !== 5 ? '    continueOn: { failure: true }\n' : ''}`
    )
    const script: Script = (step, n) => ({
      ms: 100 + step.length * 13 + n,
      exitCode: (Number(step.slice(1)) % 7 === 0 && n === 1) || step === 's60' ? 1 : 0
    })
    const simulation = await simulate(temporaryFolder(), script, simulatedClock(), { checkpoints: 30 })
    const puts = watched(simulation.store)
    const key = await simulation.start(
      `name: wide\ntype: graph\nmaxActiveSteps: 20\nhandlerOn: { exit: x }\nsteps:\n${steps.join('')}`,
      'r'
    )
    await simulation.play()
    expect(simulation.store.checkpoints.getKeysCount()).to.be.greaterThan(13)
    expect(compare(simulation.store, puts)).to.be.greaterThan(200)
    expect(compare(simulation.store, puts, true)).to.be.greaterThan(200)
    const events = numbers(simulation, key)
    expect(events.length).to.be.greaterThan(400)
    // Whoever goes to and fro sees what one sees who reads from the beginning.
    const kept = openReplays(simulation.store, 50)
    for (const at of [400, 10, 401, 120, 399, 77, 402, 0, 51, 50, 49, events.length])
      expect(kept.at(key, at), `event ${at}`).to.deep.equal(openReplays(simulation.store).at(key, at))
    await simulation.store.root.close()
  })

  it('a restart of the engine goes on counting: no event of the journal is written over', async () => {
    const home = temporaryFolder()
    const clock = simulatedClock()
    const failsOnce: Script = (_, n) => ({ ms: 1_000, exitCode: n === 1 ? 1 : 0 })
    const before = await simulate(home, failsOnce, clock)
    const puts = watched(before.store)
    const key = await before.start(retrying, 'r')
    await before.play(() => before.journal(key).some(({ to }) => to === 'waiting'))
    const first = before.journal(key)
    await before.crash()
    const after = await simulate(home, failsOnce, simulatedClock(clock.now() + 30_000))
    const later = watched(after.store)
    await after.play()
    expect(after.journal(key).slice(0, first.length)).to.deep.equal(first)
    expect(compare(after.store, [...puts, ...later])).to.be.greaterThan(5)
    await after.store.root.close()
  })

  it('sub DAG runs: the state of the call and of each sub run', async () => {
    const simulation = await simulate(temporaryFolder(), () => ({ ms: 500, exitCode: 0 }))
    const puts = watched(simulation.store)
    const key = await simulation.start(
      'name: parent\nsteps:\n  - name: kids\n    run: kid\n    parallel: { items: [a, b, c], maxConcurrent: 2 }\n---\nname: kid\nsteps:\n  - name: k\n    command: x\n',
      'r'
    )
    await simulation.play()
    expect(simulation.record(key)?.status).to.equal('succeeded')
    const names = new Set(puts.map(({ key }) => key.name))
    expect([...names].sort()).to.deep.equal(['kid', 'parent'])
    expect(compare(simulation.store, puts)).to.be.greaterThan(8)
    const call = simulation.journal(key).filter(({ actor }) => actor.endsWith('/attempt'))
    const tallies = call.flatMap(({ context }) => (context?.tally ? [context.tally] : []))
    expect(tallies.at(-1)).to.deep.equal({ succeeded: 3, partiallySucceeded: 0, failed: 0 })
    await simulation.store.root.close()
  })
})
