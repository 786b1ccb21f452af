/** Spans of runs and steps, as a collector reads them. Source: execution-semantics 14.5. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { selfSigned } from '../../support/auth/certificates.ts'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type Collector, grpcCollector, httpCollector, named, spansOf } from '../../support/inspect/collector.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('tracing', () => {
  const live = liveEngine()
  let collector: Collector
  beforeEach(async () => {
    collector = await httpCollector()
  })
  afterEach(() => collector.close())
  const otel = (also = '') => `otel: {enabled: true, endpoint: "${collector.endpoint}"${also}}`

  it('14.5.2, 14.5.3 a span per run and per executed node; names, attributes, times, parents', async () => {
    const run = await live.run(`name: traced
${otel()}
handlerOn: {exit: echo bye}
steps:
  - {name: one, command: sleep 0.05}
  - {name: two, command: exit 3}
  - {name: three, command: echo never}`)
    const spans = await spansOf(collector, 3)
    expect(spans.map(({ name }) => name).sort()).to.deep.equal(['DAG: traced', 'Step: one', 'Step: two'])
    const dag = named(spans, 'DAG: traced')
    const one = named(spans, 'Step: one')
    const two = named(spans, 'Step: two')
    expect(dag.attributes).to.deep.equal({
      'dag.name': 'traced',
      'dag.run_id': run.run.dagRunId,
      'dag.status': 'failed'
    })
    expect(one.attributes).to.deep.equal({ 'step.name': 'one', 'step.status': 'succeeded' })
    expect(two.attributes).to.deep.equal({ 'step.name': 'two', 'step.status': 'failed', 'step.exit_code': 3 })
    expect([dag.status.code, one.status.code, two.status.code]).to.deep.equal([2, 0, 2])
    expect(two.status.message).to.include('exit status 3')
    expect([dag.start, dag.end]).to.deep.equal([run.run.startedAt, run.run.finishedAt])
    for (const [span, name] of [
      [one, 'one'],
      [two, 'two']
    ] as const) {
      const { startedAt, finishedAt } = run.node(name)
      expect([span.start, span.end, span.parentSpanId]).to.deep.equal([startedAt, finishedAt, dag.spanId])
    }
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(1)
    expect([dag.parentSpanId, dag.kind, dag.scope]).to.deep.equal(['', 1, 'troupe'])
  })
  it('14.5.3 not for skipped nodes; one span covers retries and repeats', async () => {
    const run = await live.run(`name: once
${otel()}
type: graph
steps:
  - {name: skipped, command: echo, preconditions: [{condition: "false"}]}
  - {name: again, command: 'test -e tried || { touch tried; exit 1; }', retryPolicy: {limit: 1, intervalSec: 0}}
  - {name: loop, command: echo, repeatPolicy: {repeat: true, limit: 3}}`)
    const spans = await spansOf(collector, 3)
    expect(spans.map(({ name }) => name).sort()).to.deep.equal(['DAG: once', 'Step: again', 'Step: loop'])
    const { startedAt, finishedAt, retryCount } = run.node('again')
    const again = named(spans, 'Step: again')
    expect([again.start, again.end, retryCount]).to.deep.equal([startedAt, finishedAt, 1])
  })
  it('14.5.4 resource: service.name is troupe, entries are added and expanded', async () => {
    await live.run(`name: res
env: [{TEAM: data}]
${otel(', resource: {team: "${TEAM}", "service.namespace": "of ${DAG_NAME}"}')}
steps: [echo a]`)
    const [span] = await spansOf(collector, 2)
    expect(span?.resource).to.deep.equal({ 'service.name': 'troupe', team: 'data', 'service.namespace': 'of res' })
  })
  it('14.5.5 sub runs continue the trace; their span is a child of the calling step', async () => {
    await live.run(`name: outer
${otel()}
steps: [{name: call, call: inner}]
---
name: inner
${otel()}
steps: [{name: work, command: echo}]`)
    const spans = await spansOf(collector, 4)
    const [outer, call, inner, work] = ['DAG: outer', 'Step: call', 'DAG: inner', 'Step: work'].map((name) =>
      named(spans, name)
    )
    expect([call?.parentSpanId, inner?.parentSpanId, work?.parentSpanId]).to.deep.equal([
      outer?.spanId,
      call?.spanId,
      inner?.spanId
    ])
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(1)
    expect(inner?.attributes).to.deep.include({
      'dag.parent_name': 'outer',
      'dag.parent_run_id': outer?.attributes['dag.run_id']
    })
  })
  it('14.5.5 a sub run that is not traced passes the trace on', async () => {
    await live.run(`name: top
${otel()}
steps: [{name: call, call: middle}]
---
name: middle
steps: [{call: bottom}]
---
name: bottom
${otel()}
steps: [{name: work, command: echo}]`)
    const spans = await spansOf(collector, 4)
    expect(named(spans, 'DAG: bottom').parentSpanId).to.equal(named(spans, 'Step: call').spanId)
  })
  it('14.5.5 steps find TRACEPARENT and TRACESTATE in their environment, handlers the span of the run', async () => {
    const above = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const run = await live.run(`name: env
env: [{TRACEPARENT: "${above}"}, {TRACESTATE: "v=1"}]
${otel()}
handlerOn: {exit: 'printenv TRACEPARENT'}
steps: [{name: a, command: 'printenv TRACEPARENT TRACESTATE'}]`)
    const spans = await spansOf(collector, 2)
    const dag = named(spans, 'DAG: env')
    const step = named(spans, 'Step: a')
    expect([dag.traceId, dag.parentSpanId, dag.traceState]).to.deep.equal([
      '0af7651916cd43dd8448eb211c80319c',
      'b7ad6b7169203331',
      'v=1'
    ])
    expect(run.out('a')).to.equal(`00-${dag.traceId}-${step.spanId}-01\nv=1\n`)
    expect(run.out('onExit')).to.equal(`00-${dag.traceId}-${dag.spanId}-01\n`)
  })
  it('a run without otel, or with enabled false, is not traced and its steps hear of no trace', async () => {
    for (const text of ['', `otel: {enabled: false, endpoint: "${collector.endpoint}"}`, 'otel: {enabled: true}']) {
      const run = await live.run(`${text}\nsteps: [{name: a, command: 'printenv TRACEPARENT || echo none'}]`)
      expect(run.out('a'), text).to.equal('none\n')
    }
    expect(collector.requests).to.deep.equal([])
  })
  it('14.5.6 HTTP: protobuf to /v1/traces when the path is empty, with headers', async () => {
    await live.run(`${otel(', headers: {Authorization: "Bearer ${TOKEN}"}')}\nparams: TOKEN=t0\nsteps: [echo]`)
    await spansOf(collector, 2)
    const [request] = collector.requests
    expect([request?.path, request?.headers['content-type'], request?.headers.authorization]).to.deep.equal([
      '/v1/traces',
      'application/x-protobuf',
      'Bearer t0'
    ])
    await live.run(`otel: {enabled: true, endpoint: "${collector.endpoint}/own/path"}\nsteps: [echo]`)
    await spansOf(collector, 4)
    expect(collector.requests.at(-1)?.path).to.equal('/own/path')
  })
  it('14.5.6 HTTPS: `insecure` means no TLS verification; without it nothing is sent', async () => {
    const tls = await httpCollector(selfSigned('localhost'))
    const checked = await live.run(`otel: {enabled: true, endpoint: "${tls.endpoint}", timeout: 1s}\nsteps: [echo]`)
    const log = checked.run.log
    await eventually('a warning', () => textOf(log).includes('spans were not sent to the collector') || undefined)
    expect(tls.requests).to.deep.equal([])
    await live.run(`otel: {enabled: true, endpoint: "${tls.endpoint}", insecure: true}\nsteps: [echo]`)
    await spansOf(tls, 2)
    await tls.close()
  })
  it('14.5.6 `host:port`: gRPC, in plain text when `insecure`, with headers', async () => {
    const grpc = await grpcCollector()
    await live.run(
      `name: rpc\notel: {enabled: true, endpoint: "${grpc.endpoint}", insecure: true, headers: {X-Key: k}}\nsteps: [{name: a, command: echo}]`
    )
    const spans = await spansOf(grpc, 2)
    expect(named(spans, 'Step: a').parentSpanId).to.equal(named(spans, 'DAG: rpc').spanId)
    expect(grpc.requests[0]?.headers['x-key']).to.equal('k')
    await grpc.close()
  })
  it('14.4.9 no secret is in a span', async () => {
    const folder = temporaryFolder()
    const secret = 'canary-0d8f21aa'
    writeFileSync(join(folder, 'token'), secret)
    await live.run(`name: hush
workingDir: ${folder}
secrets: [{name: TOKEN, provider: file, key: token}]
${otel(', resource: {token: "is ${TOKEN}"}, headers: {X-Token: "${TOKEN}"}')}
steps: [{name: "of ${secret}", command: 'echo "$TOKEN" >&2; exit 1'}]`)
    const spans = await spansOf(collector, 2)
    const step = named(spans, 'Step: of *******')
    expect(step.status.message).to.include('*******')
    expect(step.resource.token).to.equal('is *******')
    expect(collector.bytes.some((bytes) => bytes.includes(secret))).to.equal(false)
    expect(collector.requests[0]?.headers['x-token']).to.equal(secret)
  })
  it('14.5.1 a dead collector neither delays nor fails a run: a warning in its log, once', async function () {
    this.retries(WHEN_BUSY)
    const dead = 'otel: {enabled: true, endpoint: "http://127.0.0.1:1", timeout: 1s}'
    const begun = performance.now()
    const run = await live.run(`${dead}\nsteps: [echo a, echo b]`)
    expect([run.status, performance.now() - begun < 1_000]).to.deep.equal(['succeeded', true])
    const said = () => textOf(run.run.log).match(/level=WARN msg="spans were not sent to the collector" reason=.*/g)
    await eventually('a warning', () => said() ?? undefined)
    expect(said()).to.have.length(1)
  })
  it('14.5.1 an endpoint in no known form, and a text that cannot be evaluated: a warning', async () => {
    const odd = await live.run('otel: {enabled: true, endpoint: nowhere}\nsteps: [echo a]')
    expect(odd.status).to.equal('succeeded')
    const said = /wanted http:\/\/\.\.\., https:\/\/\.\.\. or <host>:<port>, found \\"nowhere\\"/
    await eventually('a warning', () => said.test(textOf(odd.run.log)) || undefined)
    const run = await live.run('otel: {enabled: true, endpoint: "${NOT_THERE:?set it}"}\nsteps: [echo a]')
    expect(run.status).to.equal('succeeded')
    expect(textOf(run.run.log)).to.match(/msg="the run is not traced" reason=/)
  })
})
