/** Spans of processes that end or are killed, with a real collector. Source: execution-semantics 14.5. */
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { program } from '../../support/cli/program.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { httpCollector, named } from '../../support/inspect/collector.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

describe('tracing › a real collector', () => {
  it('takes the spans, when OTEL_COLLECTOR_URL names one', async function () {
    const endpoint = process.env.OTEL_COLLECTOR_URL
    if (!endpoint) return this.skip()
    const engine = await createEngine({ home: temporaryFolder(), defaultShell: 'sh' })
    const key = await engine.start({
      spec: `otel: {enabled: true, endpoint: "${endpoint}"}\nsteps: [echo a]`,
      name: 'x'
    })
    const { run } = await engine.result(key)
    await engine.close() // what is left is sent
    expect(textOf(run.log)).to.include('run finished').and.not.include('spans were not sent')
  })
})

describe('tracing › processes', () => {
  it('`troupe start` sends its spans before it ends', async () => {
    const collector = await httpCollector()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.yaml'), `otel: {enabled: true, endpoint: "${collector.endpoint}"}\nsteps: [echo]`)
    expect(await program(folder, { ENGINE_HOME: join(folder, 'home') }, 'start', 'a.yaml').code).to.equal(0)
    expect(collector.spans.map(({ name }) => name).sort()[0]).to.equal('DAG: a')
    await collector.close()
  })
  it('`troupe start` does not wait for a collector that does not answer', async function () {
    this.retries(WHEN_BUSY)
    const mute = createServer(() => {})
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as { port: number }
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.yaml'), `otel: {enabled: true, endpoint: "http://127.0.0.1:${port}"}\nsteps: [echo]`)
    const begun = performance.now()
    expect(await program(folder, { ENGINE_HOME: join(folder, 'home') }, 'start', 'a.yaml').code).to.equal(0)
    expect(performance.now() - begun).to.be.lessThan(8_000)
    const [log = ''] = readdirSync(join(folder, 'home'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('run.log')
    )
    expect(textOf(join(folder, 'home', log))).to.match(/the engine was closed before the collector had taken them/)
    mute.close()
  })
  it('ids survive kill -9 of the engine: spans before and after it are one trace', async () => {
    const home = temporaryFolder()
    const collector = await httpCollector()
    await killedAfter(
      home,
      `name: cut
otel: {enabled: true, endpoint: "${collector.endpoint}"}
steps:
  - {name: one, command: 'printenv TRACEPARENT >>${home}/marks'}
  - {name: two, command: 'printenv TRACEPARENT >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'}
  - {name: three, command: 'printenv TRACEPARENT >>${home}/marks'}`,
      2,
      () => collector.spans.length > 0
    )
    expect(collector.spans.map(({ name }) => name)).to.deep.equal(['Step: one'])
    const engine = await createEngine({ home })
    writeFileSync(join(home, 'go'), '')
    await engine.result({ name: 'cut', dagRunId: 'r1' })
    await engine.close()
    const spans = collector.spans
    expect(spans.map(({ name }) => name).sort()).to.deep.equal(['DAG: cut', 'Step: one', 'Step: three', 'Step: two'])
    const dag = named(spans, 'DAG: cut')
    const steps = ['one', 'two', 'three'].map((name) => named(spans, `Step: ${name}`))
    expect(steps.map(({ parentSpanId }) => parentSpanId)).to.deep.equal(steps.map(() => dag.spanId))
    expect(marksIn(home)).to.deep.equal(steps.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`))
    await collector.close()
  })
})
