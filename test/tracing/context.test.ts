/** Ids of spans, and W3C trace context. Source: execution-semantics 14.5.5. */
import { expect } from 'chai'
import type { RunRecord } from '../../machines/vocabulary.ts'
import { placeIn, placeOfRun, placeOfStep, variablesFor } from '../../src/tracing/context.ts'

const record = (wish: Partial<RunRecord> = {}): RunRecord => ({
  name: 'dag',
  dagRunId: 'r1',
  status: 'running',
  attempt: 1,
  createdAt: 1_000,
  params: [],
  log: '',
  nodeLogs: '',
  plan: '',
  ...wish
})
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('tracing › ids', () => {
  it('the same run has the same ids, as after a restart', () => {
    expect(placeOfRun(record(), undefined)).to.deep.equal(placeOfRun(record({ status: 'failed' }), undefined))
  })
  it('another run, attempt or step has others', () => {
    const runs = [{}, { name: 'b' }, { dagRunId: 'r2' }, { attempt: 2 }, { createdAt: 2_000 }].map((wish) =>
      placeOfRun(record(wish), undefined)
    )
    const [run] = runs
    if (!run) throw new Error('no run')
    const steps = ['a', 'b'].map((step) => placeOfStep(run, step))
    expect(new Set(runs.map(({ traceId }) => traceId)).size).to.equal(5)
    expect(new Set([...runs, ...steps].map(({ spanId }) => spanId)).size).to.equal(7)
    expect(steps.map(({ traceId }) => traceId)).to.deep.equal([run.traceId, run.traceId])
  })
  it('they have the lengths of W3C trace context', () => {
    const { traceId, spanId } = placeOfRun(record(), undefined)
    expect([traceId, spanId].join(' ')).to.match(/^[0-9a-f]{32} [0-9a-f]{16}$/)
  })
  it('below a parent the trace is that of the parent', () => {
    const place = placeOfRun(record(), { traceId, spanId, traceState: 'a=1' })
    expect([place.traceId, place.traceState]).to.deep.equal([traceId, 'a=1'])
    expect(place.spanId).not.to.equal(spanId)
  })
})

describe('tracing › TRACEPARENT and TRACESTATE', () => {
  it('are read and written', () => {
    const variables = { TRACEPARENT: `00-${traceId}-${spanId}-01`, TRACESTATE: 'vendor=x' }
    expect(placeIn(variables)).to.deep.equal({ traceId, spanId, traceState: 'vendor=x' })
    expect(variablesFor({ traceId, spanId, traceState: 'vendor=x' })).to.deep.equal(variables)
    expect(variablesFor({ traceId, spanId })).to.deep.equal({ TRACEPARENT: `00-${traceId}-${spanId}-01` })
  })
  for (const text of [
    '',
    'x',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`
  ])
    it(`"${text}" is none`, () => {
      expect(placeIn({ TRACEPARENT: text })).to.equal(undefined)
    })
})
