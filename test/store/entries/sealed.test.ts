/** The checksum before each entry of the store. Source: reliability F11, F12, P7. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { Database, Key } from 'lmdb'
import type { JournalRecord, NodeRecord, RunRecord, ScheduleDecision } from '../../../machines/vocabulary.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit } from '../../../src/store/commit.ts'
import { readEntry, readRun, subNameOf, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import { checkpointText } from '../../../src/store/entries/checkpoint-text.ts'
import { sealed } from '../../../src/store/entries/sealed.ts'
import { everyNodeOf, planOf } from '../../../src/store/history.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import type { StoredPlan } from '../../../src/store/stored.ts'
import { temporaryFolder } from '../../support/homes.ts'

const key = { name: 'etl', dagRunId: 'r1' }
const caller = { root: { name: 'top', dagRunId: 'r0' }, parent: { name: 'top', dagRunId: 'r0' }, step: 'call' }
const record: RunRecord = {
  ...key,
  status: 'succeeded',
  attempt: 2,
  createdAt: 1_767_225_610_000,
  caller: { ...caller, runAttempt: 1, attempt: 1, depth: 1 },
  params: [{ name: 'P', value: 'ä' }],
  log: '/l/run.log',
  nodeLogs: '/l/1',
  plan: 'hash'
}
const node: NodeRecord = { step: 's', status: 'failed', retryCount: 1, doneCount: 0, error: 'exit 7' }
const journal: JournalRecord = {
  run: key,
  seq: 1,
  at: 1_767_225_610_000,
  actor: 'run/etl/r1',
  event: 'run.start',
  from: 'working',
  to: 'succeeded'
}
const decision = { fileName: 'etl', name: 'etl', kind: 'start', slot: 60_000, at: 60_001, outcome: 'fired' }

/** One entry in every table that has a checksum, as transactions write them. */
async function fill(store: Store): Promise<void> {
  const changes = noChanges()
  changes.runs.set('run/etl/r1', { value: { record, seq: 1 } })
  changes.nodes.set('run/etl/r1/0', { key: ['etl', 'r1', 0], value: { record: node } })
  changes.calls.set('run/etl/r1/0/call', {
    key: ['etl', 'r1', 0, 1, 1],
    value: { plan: 'sub', maxConcurrent: 2, items: [{ ...key, params: 'A=1' }], pass: 0, stopped: false, offset: 7 }
  })
  changes.attempts.push({ record: { ...record, attempt: 1 }, nodes: new Map([[0, node]]) })
  changes.plans.set('hash', { plan: { name: 'etl', steps: [] }, spec: 'steps: []' } as unknown as StoredPlan)
  changes.journal.push(journal)
  changes.scheduling.decisions.set(1, decision as ScheduleDecision)
  changes.scheduling.slots.set('etl', { decided: { start: [60_000] } })
  changes.scheduling.restarts.set('etl/r1', { key: ['etl', 'r1'], value: { dagRunId: 'r2', waitMs: 5 } })
  const files = { log: '/l/run.log', nodeLogs: ['/l/1'], steps: ['s'], own: '/w' }
  changes.scheduling.leftovers.set('etl/r0', { key: ['etl', 'r0', 1], value: files })
  await commit(store, [changes])
  await store.moves.put('old', { to: 'etl', before: 1 })
  const worker = { state: 'lost', session: 's', greetedAt: 1, heardAt: 2, refusal: '' }
  await store.workers.put('0123456789abcdef', worker)
  await store.checkpoints.put(['etl', 'r1', 1], { at: 1, from: 0, begun: 1, actors: [] } as never)
}

const TABLES = [
  'runs',
  'nodes',
  'calls',
  'attempts',
  'journal',
  'checkpoints',
  'plans',
  'subs',
  'feed',
  'moves',
  'decisions',
  'slots',
  'restarts',
  'leftovers',
  'workers'
] as const

describe('store › checksums', () => {
  let store: Store
  beforeEach(async () => {
    store = openStore(join(temporaryFolder(), 'data'))
    await fill(store)
  })
  afterEach(() => store.root.close())
  const tableOf = (name: (typeof TABLES)[number]) => store[name] as Database<unknown, Key>
  const bytesOf = (name: string) => store.root.openDB<Buffer, Key>({ name, encoding: 'binary' })

  for (const name of TABLES)
    it(`F12 one bit flipped in an entry of ${name}: it cannot be read, whichever bit it is`, async () => {
      const [{ key, value } = { key: '', value: undefined }] = tableOf(name).getRange({ limit: 1 })
      const raw = bytesOf(name)
      const bytes = Buffer.from(raw.get(key) ?? [])
      expect(value, 'what was stored').to.not.equal(undefined)
      expect(bytes.length).to.be.greaterThan(8)
      const believed: number[] = []
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        raw.putSync(key, flipped)
        const found = name === 'subs' ? subNameOf(store, key as never) : readEntry(tableOf(name) as never, key)
        if (found !== undefined) believed.push(bit)
      }
      expect(believed).to.deep.equal([])
      raw.putSync(key, bytes)
      expect(tableOf(name).get(key)).to.deep.equal(value)
    })

  it('F12 a digit that has become another one: the run is listed as failed with its state unreadable, its node stops it, its plan is none', () => {
    const change = (name: string, key: Key, from: string, to: string) => {
      const raw = bytesOf(name)
      const text = raw.get(key)?.toString('latin1') ?? ''
      expect(text).to.include(from)
      raw.putSync(key, Buffer.from(text.replace(from, to), 'latin1'))
    }
    change('runs', ['etl', 'r1'], '"attempt":2', '"attempt":3')
    expect(readRun(store, key)?.record).to.include({ status: 'failed', error: UNREADABLE })
    change('nodes', ['etl', 'r1', 0], 'exit 7', 'exit 0')
    expect(() => everyNodeOf(store, key)).to.throw('its checksum is wrong: it is not what was stored')
    change('plans', 'hash', 'steps: []', 'steps: {}')
    expect(planOf(store, 'hash')).to.equal(undefined)
  })

  it('entries that are cut off anywhere, or longer than they were, cannot be read', () => {
    const raw = bytesOf('runs')
    const bytes = Buffer.from(raw.get(['etl', 'r1']) ?? [])
    for (let length = 0; length < bytes.length; length++) {
      raw.putSync(['etl', 'r1'], bytes.subarray(0, length))
      expect(readEntry(store.runs, ['etl', 'r1']), `${length} bytes`).to.equal(undefined)
    }
    raw.putSync(['etl', 'r1'], Buffer.concat([bytes, Buffer.from(' ')]))
    expect(readEntry(store.runs, ['etl', 'r1'])).to.equal(undefined)
  })

  it('entries of releases before have none, and are read as they are', () => {
    const older = { ...record, dagRunId: 'r9' }
    bytesOf('runs').putSync(['etl', 'r9'], Buffer.from(JSON.stringify({ record: older, seq: 3 })))
    store.root.openDB<unknown, string>({ name: 'plans' }).putSync('older', { plan: { steps: [] }, spec: '' })
    expect(readRun(store, older)).to.deep.equal({ record: older, seq: 3 })
    expect(planOf(store, 'older')).to.deep.equal({ plan: { steps: [] }, spec: '' })
  })

  it('what is read lies in a buffer that is longer', () => {
    const text = sealed(checkpointText)
    const bytes = text.encode({ at: 1, from: 0, begun: 1, actors: [] })
    const longer = Buffer.concat([bytes, Buffer.from('}]rubbish')])
    expect(text.decode(longer, bytes.length)).to.deep.equal({ at: 1, from: 0, begun: 1, actors: [] })
    expect(() => text.decode(longer)).to.throw('its checksum is wrong')
  })
})
