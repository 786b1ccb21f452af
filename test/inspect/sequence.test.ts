/** Who sends what in a sequence: a worker is a participant. Source: distribution 9; docs/inspect.md. */
import { expect } from 'chai'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { sequenceOf } from '../../src/inspect/sequence.ts'

const RUN = { name: 'a', dagRunId: 'r1' }
const address = 'run/a/r1'
let seq = 0
const record = (actor: string, event: string, more: Partial<JournalRecord> = {}): JournalRecord => ({
  run: RUN,
  seq: ++seq,
  at: seq,
  actor,
  event,
  from: 'x',
  to: 'x',
  ...more
})

describe('inspect › sequence', () => {
  beforeEach(() => {
    seq = 0
  })
  const senders = (records: JournalRecord[], worker?: string) =>
    sequenceOf({
      run: RUN,
      records,
      actorOf: () => undefined,
      omitted: 0,
      ...(worker === undefined ? {} : { worker })
    }).messages.map(({ from, event }) => `${from} ${event}`)

  it('a worker is a participant: what it says comes from it, also after the run has moved to another one', () => {
    const node = `${address}/node/one`
    const loss = { worker: 'wa', silentMs: 30_000 }
    const late = { endedAt: 1, heardAt: 2 }
    const records = [
      record('queue/a', 'start.requested'),
      record(address, 'xstate.init', { cause: 1 }),
      record(address, 'run.prepared'),
      record(node, 'xstate.init', { cause: 3 }),
      record(node, 'attempt.offered'),
      record(address, 'worker.lost', { context: { loss } }),
      record(node, 'worker.lost', { cause: 6, context: { loss } }),
      record(address, 'worker.replaced', { context: { loss: null } }),
      record(node, 'attempt.offered'),
      record(node, 'attempt.late', { context: { givenUp: [{ attempt: 1, worker: 'wa', home: 'h', late }] } }),
      record(node, 'attempt.ended'),
      record(node, 'alarm.rang')
    ]
    expect(senders(records, 'wb')).to.deep.equal([
      'caller start.requested',
      'queue/a begin',
      'worker/wa run.prepared',
      'run/a/r1 begin',
      'worker/wa attempt.offered',
      'worker/wa worker.lost',
      'run/a/r1 worker.lost',
      'worker/wb worker.replaced',
      'worker/wb attempt.offered',
      'worker/wa attempt.late',
      'worker/wb attempt.ended',
      'clock alarm.rang'
    ])
  })
  it('a run begins on the worker that it was placed on; its next attempt may begin on another one', () => {
    const node = `${address}/node/one`
    const on = (id: string, lease: number) => ({ context: { placement: { id, lease } } })
    const records = [
      record('queue/a', 'start.requested'),
      record(address, 'xstate.init', { cause: 1, ...on('wa', 7) }),
      record(node, 'xstate.init', { cause: 2, context: { worker: { id: 'wa', lease: 7 } } }),
      record(node, 'attempt.ended'),
      record(address, 'worker.lost', { context: { loss: { worker: 'wa', silentMs: 30_000 } } }),
      record(address, 'worker.replaced', on('wb', 8)),
      record(node, 'attempt.ended'),
      record('queue/a', 'start.requested'),
      record(address, 'xstate.init', { cause: 8, ...on('wc', 9) }),
      record(node, 'attempt.ended')
    ]
    expect(senders(records, 'wc')).to.deep.equal([
      'caller start.requested',
      'queue/a begin on wa',
      'run/a/r1 begin',
      'worker/wa attempt.ended',
      'worker/wa worker.lost',
      'worker/wb worker.replaced',
      'worker/wb attempt.ended',
      'caller start.requested',
      'queue/a begin on wc',
      'worker/wc attempt.ended'
    ])
  })
  it('of a run on the machine of the engine it is its processes', () => {
    expect(senders([record(`${address}/node/one`, 'attempt.ended'), record(address, 'run.prepared')])).to.deep.equal([
      'process attempt.ended',
      'engine run.prepared'
    ])
  })
})
