/** Checkpoints of a run: what is put together from them is what its journal says. Source: architecture 1, 9; docs/inspect.md. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { JournalRecord, RunRecord } from '../../machines/vocabulary.ts'
import { createEngine } from '../../src/index.ts'
import { CHECKPOINT_EVENTS, keepCheckpoints } from '../../src/inspect/checkpoint-keeper.ts'
import { nothingYet, type ReplayedRun, take } from '../../src/inspect/replay.ts'
import { openReplays } from '../../src/inspect/replays.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { moveHistory } from '../../src/store/move-history.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { walk } from '../machines/walks/random-walk.ts'
import { temporaryFolder } from '../support/homes.ts'
import { ADDRESS, type NotedRun, notedRun } from '../support/store/noted-run.ts'

const SEEDS = 30
const KEY = { name: 'dag', dagRunId: 'r1' }

type Said = Omit<JournalRecord, 'run' | 'seq' | 'at'>
const B = `${ADDRESS}/node/b`
const node = (step: string): Pick<Said, 'actor' | 'step'> => ({ actor: `${ADDRESS}/node/${step}`, step })
/** Of a run with two attempts: everything that is written without a chart is in it. */
const TWO_ATTEMPTS: JournalRecord[] = (
  [
    { actor: 'queue/dag', event: 'enqueue.requested', from: 'serving', to: 'serving', context: { waits: true } },
    { actor: 'queue/dag', event: 'slot.freed', from: 'serving', to: 'serving' },
    { actor: ADDRESS, event: 'xstate.init', from: '', to: 'working', status: 'running', context: { openAt: 5 } },
    { ...node('a'), event: 'xstate.init', from: '', to: 'preparing', status: 'running' },
    {
      ...node('a'),
      event: 'prepared',
      from: 'preparing',
      to: 'attempting',
      status: 'running',
      context: { attempt: 1 }
    },
    { ...node('a'), event: 'attempt.began', from: 'attempting', to: 'attempting', context: { continues: null } },
    { ...node('b'), event: 'node.settled', from: '', to: 'skipped', status: 'skipped', context: { error: 'why' } },
    {
      ...node('a'),
      event: 'attempt.ended',
      from: 'attempting',
      to: 'failed',
      status: 'failed',
      context: { exitCode: 1 }
    },
    { actor: ADDRESS, event: 'xstate.done.actor', from: 'working', to: 'failed', status: 'failed' },
    { ...node('a'), event: 'node.set', from: '', to: 'succeeded', status: 'succeeded' },
    {
      actor: ADDRESS,
      event: 'xstate.init',
      from: '',
      to: 'working',
      status: 'running',
      kept: [[0, { step: 'a', status: 'succeeded', retryCount: 1, doneCount: 1 }]]
    },
    { ...node('b'), event: 'xstate.init', from: '', to: 'preparing', status: 'running', context: { dueAt: 7 } },
    { actor: `${B}/attempt`, event: 'xstate.init', from: '', to: 'resolving', context: { next: 0 } },
    { actor: `${B}/attempt`, event: 'resolved', from: 'resolving', to: 'working', context: { next: 2 }, whole: true },
    { ...node('b'), event: 'node.settled', from: '', to: 'failed', status: 'failed', context: { error: 'thrown' } },
    { ...node('c'), event: 'node.set', from: '', to: 'canceled', status: 'canceled' },
    { ...node('c'), event: 'xstate.init', from: '', to: 'preparing', status: 'running' },
    { actor: ADDRESS, event: 'run.parked', from: 'working', to: 'failed', status: 'failed' }
  ] satisfies Said[]
).map((said, index) => ({ run: KEY, seq: index + 1, at: 1_000 + index, ...said }))

describe('inspect › checkpoints', () => {
  let store: Store
  beforeEach(() => {
    store = openStore(join(temporaryFolder(), 'data'))
  })
  afterEach(() => store.root.close())

  /** Stores a journal, and keeps checkpoints as if its records came one by one. */
  async function keep(journal: JournalRecord[], every: number): Promise<void> {
    const keeper = keepCheckpoints(store, (next) => next(), every)
    for (const record of journal) void store.journal.put([KEY.name, KEY.dagRunId, record.seq], record)
    await store.root.committed
    for (const record of journal) {
      keeper.told({ ...record, run: KEY })
      if (record.seq % every === 0) await store.root.committed
    }
  }
  const events = () => Array.from(store.checkpoints.getKeys(), ([, , seq]) => seq)
  const raw = () => store.root.openDB<Buffer, [string, string, number]>({ name: 'checkpoints', encoding: 'binary' })

  /** What whoever has read nothing yet is told, beside what the whole journal says. */
  function compare(title: string, key = KEY, journal?: JournalRecord[]): void {
    const read = Array.from(store.journal.getRange({ start: [key.name, key.dagRunId, 0] }), ({ value }) => value)
    const state = nothingYet()
    for (const record of journal ?? read) {
      take(state, record)
      const found = openReplays(store).at(key, record.seq)
      expect(found, `${title}, event ${record.seq}`).to.deep.equal(state)
      expect(order(found), `${title}, event ${record.seq}`).to.deep.equal(order(state))
    }
  }
  const order = ({ actors }: ReplayedRun) =>
    Array.from(actors, ([address, { memory }]) => [address, Object.keys(memory)])

  it('for every event of random runs with stops, retries, repeats, faults and restarts, they say what the journal says', async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const noted: { run?: NotedRun } = {}
      walk(seed, (plan, stage) => {
        noted.run = notedRun(plan, stage)
        return noted.run.recorders
      })
      for (const table of [store.journal, store.checkpoints]) for (const key of table.getKeys()) void table.remove(key)
      const journal = noted.run?.journal() ?? []
      const every = 2 + (seed % 4)
      await keep(journal, every)
      expect(events()).to.have.length(Math.floor(journal.length / every))
      compare(`seed ${seed}`)
    }
  })

  it('for every event of a run that was queued, retried, set by hand and given up', async () => {
    for (const every of [1, 2, 3, 4, 5, 8, 16]) {
      for (const key of store.checkpoints.getKeys()) void store.checkpoints.remove(key)
      await keep(TWO_ATTEMPTS, every)
      expect(events()).to.have.length(Math.floor(TWO_ATTEMPTS.length / every))
      compare(`every ${every}`)
    }
  })

  it('a look reads as many as the number of the last one has ones in binary; each says what has changed since the one before', async () => {
    await keep(TWO_ATTEMPTS.slice(0, 9), 1)
    expect(Array.from(store.checkpoints.getRange(), ({ key, value }) => [key[2], value.from])).to.deep.equal([
      [1, 0],
      [2, 0],
      [3, 0], // the run began with it
      [4, 0],
      [5, 4],
      [6, 4],
      [7, 6],
      [8, 0],
      [9, 8]
    ])
    expect(store.checkpoints.get(['dag', 'r1', 7])?.actors.map(([address]) => address)).to.deep.equal(['/node/b'])
  })

  it('one that a crash has kept from being written is passed over by the next', async () => {
    await keep(TWO_ATTEMPTS.slice(0, 6), 3)
    await store.checkpoints.remove(['dag', 'r1', 3])
    await store.checkpoints.remove(['dag', 'r1', 6])
    await keep(TWO_ATTEMPTS.slice(6, 9), 3)
    expect(events()).to.deep.equal([9])
    compare('passed over')
  })

  it('one that is damaged, or that goes on from one that is not there, costs time only', async () => {
    await keep(TWO_ATTEMPTS, 3)
    await raw().put(['dag', 'r1', 6], Buffer.from('{"at":'))
    await store.checkpoints.remove(['dag', 'r1', 12])
    compare('damaged')
  })

  it('one that an earlier run of the same name and id has left says nothing of this one', async () => {
    await keep(TWO_ATTEMPTS, 4)
    const later = TWO_ATTEMPTS.slice(0, 9).map((record) => ({ ...record, at: record.at + 60_000 }))
    for (const key of store.journal.getKeys()) void store.journal.remove(key)
    await keep(later.slice(0, 7), 100)
    compare('namesake', KEY, later.slice(0, 7))
    await keep(later.slice(7), 4) // and nothing goes on from it
    compare('namesake, gone on', KEY, later)
  })

  it('they go when their run goes, and along when its history gets another name', async () => {
    await keep(TWO_ATTEMPTS, 5)
    const files = { log: '', nodeLogs: '', plan: '' }
    const record: RunRecord = { ...KEY, status: 'failed', createdAt: 1, attempt: 2, params: [], ...files }
    await commit(store, [{ ...noChanges(), runs: new Map([['r', { value: { record, seq: 18 } }]]) }])
    await raw().put(['dag', 'r1', 10], Buffer.from('{'))
    await moveHistory(store, 'dag', { to: 'other', before: 10 })
    expect(Array.from(store.checkpoints.getKeys())).to.deep.equal([5, 15].map((seq) => ['other', 'r1', seq]))
    compare('renamed', { name: 'other', dagRunId: 'r1' })
    await commit(store, [{ ...noChanges(), removed: [{ ...record, name: 'other' }] }])
    expect(events()).to.deep.equal([])
  })

  it(`an engine keeps one of every ${CHECKPOINT_EVENTS} events of a run, and none of a run with fewer`, async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const steps = (count: number) => `type: graph\nsteps:\n${'  - "true"\n'.repeat(count)}`
    await engine.result(await engine.start({ spec: steps(3), dagName: 'short', dagRunId: 'r' }))
    await engine.result(await engine.start({ spec: steps(CHECKPOINT_EVENTS * 0.4), dagName: 'long', dagRunId: 'r' }))
    const seen = engine.facts.run({ name: 'long', dagRunId: 'r' }, { at: CHECKPOINT_EVENTS, brief: true })
    await engine.close()
    const read = openStore(join(home, 'data'), { readOnly: true })
    expect(Array.from(read.checkpoints.getKeys())).to.deep.equal([['long', 'r', CHECKPOINT_EVENTS]])
    const state = openReplays(read).at({ name: 'long', dagRunId: 'r' }, CHECKPOINT_EVENTS)
    expect(state.event?.seq).to.equal(CHECKPOINT_EVENTS)
    expect(seen.nodes.filter(({ status }) => status === 'succeeded')).to.have.length(
      [...state.actors.values()].filter(({ kind, status }) => kind === 'node' && status === 'succeeded').length
    )
    await read.root.close()
  })
})
