/** retryPolicy with real steps. Source: execution-semantics 6.1. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('retryPolicy', () => {
  const live = liveEngine()

  it('6.1.1 limit 2 allows 3 executions; retryCount ends at 2, doneCount at 1; limit 0 = no retry', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: twice, command: echo x; exit 3, retryPolicy: {limit: 2}}
        - {name: never, command: echo x; exit 3, retryPolicy: {limit: 0, intervalSec: 60}}
        - {name: unneeded, command: echo x, retryPolicy: {limit: 2, intervalSec: 60}}
    `)
    expect(run.node('twice')).to.include({ status: 'failed', retryCount: 2, doneCount: 1, exitCode: 3 })
    expect(run.out('twice')).to.equal('x\nx\nx\n')
    expect(run.node('never')).to.include({ status: 'failed', retryCount: 0, doneCount: 1 })
    expect(run.node('unneeded')).to.include({ status: 'succeeded', retryCount: 0, doneCount: 1 })
  })

  it('a step that succeeds at its second try has no error', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps: [{name: second, command: "[ -e tried ] || { touch tried; kill -TERM $$; }", retryPolicy: {limit: 3}}]
    `)
    expect(run.node('second')).to.include({ status: 'succeeded', retryCount: 1, exitCode: 0 })
    expect(run.node('second')).not.to.have.any.keys('error', 'signal')
  })

  it('6.1.3 with exitCodes only the listed codes are retried; killed by a signal -1; 6.1.4 not accepted: fails immediately', async () => {
    const policy = (codes: string) => `retryPolicy: {limit: 1, exitCodes: ${codes}}`
    const run = await live.run(`
      type: graph
      steps:
        - {name: listed, command: exit 3, ${policy('[3, 4]')}}
        - {name: single, command: exit 3, ${policy('3')}}
        - {name: alias, command: exit 3, retryPolicy: {limit: 1, exitCode: [3]}}
        - {name: other, command: exit 5, ${policy('[3, 4]')}}
        - {name: signal, command: kill -KILL $$, ${policy('[-1]')}}
        - {name: not the signal, command: kill -TERM $$, ${policy('[143, 15]')}}
        - {name: high code, command: exit 143, ${policy('[143]')}}
        - {name: not found, command: no-such-command-here, ${policy('[127]')}}
    `)
    const retried = run.nodes.filter(({ node }) => node.retryCount === 1).map(({ step }) => step.name)
    expect(retried).to.deep.equal(['listed', 'single', 'alias', 'signal', 'high code', 'not found'])
  })

  it('6.1.5 wait before retry k: interval, or interval * backoff^(k-1) cut to maxIntervalSec', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: growing, command: date +%s%3N; exit 3, retryPolicy: {limit: 2, intervalSec: 1, backoff: true}}
        - {name: cut, command: date +%s%3N; exit 3, retryPolicy: {limit: 2, intervalSec: 1, backoff: 2, maxIntervalSec: 1}}
    `)
    const waits = (name: string) => {
      const at = run.out(name).trim().split('\n').map(Number)
      return at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 100) / 10)
    }
    const [first = 0, second = 0] = waits('growing')
    expect(first).to.be.within(1, 1.6)
    expect(second).to.be.within(2, 2.6)
    expect(
      waits('cut').every((wait) => wait >= 1 && wait < 1.6),
      waits('cut').join()
    ).to.equal(true)
  })

  it('6.1.6 text values are evaluated; a non-integer fails the node', async () => {
    const run = await live.run(`
      type: graph
      params: N=2
      env: {WAIT: 0, BAD: soon}
      steps:
        - {name: text, command: exit 3, retryPolicy: {limit: "\${N}", intervalSec: "\${WAIT}"}}
        - {name: ticks, command: exit 3, retryPolicy: {limit: "\`echo 1\`", intervalSec: 0}}
        - {name: bad, command: exit 3, retryPolicy: {limit: 1, intervalSec: "\${BAD}"}}
        - {name: ever, command: exit 3, retryPolicy: {limit: 1, intervalSec: "1000000001"}}
    `)
    expect(run.node('text').retryCount).to.equal(2)
    expect(run.node('ticks').retryCount).to.equal(1)
    expect(run.node('bad')).to.include({
      status: 'failed',
      error: 'retryPolicy.intervalSec: wanted an integer from 0 to 1000000000, found "soon"'
    })
    expect(run.out('bad')).to.equal('')
    expect(run.node('ever').error).to.equal(
      'retryPolicy.intervalSec: wanted an integer from 0 to 1000000000, found "1000000001"'
    )
  })

  it('6.1.7 status during the wait: running; error holds the last error; the wait occupies a maxActiveSteps slot; a stop ends it at once', async function () {
    this.retries(WHEN_BUSY)
    const key = await live.start(`
      type: graph
      maxActiveSteps: 1
      steps:
        - {name: waits, command: echo why >&2; exit 3, retryPolicy: {limit: 5, intervalSec: 600}}
        - {name: other, command: echo no}
    `)
    const node = await eventually('the wait', () => {
      const node = live.engine.run(key)?.nodes[0]?.node
      return node?.retryCount === 1 ? node : undefined
    })
    expect(node).to.include({ status: 'running', exitCode: 3 })
    expect(node.error).to.equal('failed to execute step "waits": exit status 3\nrecent stderr (tail):\nwhy')
    expect(live.engine.run(key)?.nodes[1]?.node.status).to.equal('not_started')
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.below(1_000)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled', 'not_started'])
  })

  it('6.1.8 set-up errors are retried: they count as code 1; step timeouts are not', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const key = await live.start(`
      workingDir: ${folder}
      type: graph
      steps:
        - {name: directory, dir: file/below, command: echo yes, retryPolicy: {limit: 1, exitCodes: [1], intervalSec: 0}}
        - {name: backtick, command: "echo \`echo x >>ticks; exit 7\`", retryPolicy: {limit: 2}}
        - {name: late, command: sleep 60, timeoutSec: 1, retryPolicy: {limit: 3}}
    `)
    const run = await live.ended(key)
    expect(run.node('directory')).to.include({ status: 'failed', retryCount: 1, exitCode: 1 })
    expect(run.node('backtick')).to.include({ status: 'failed', retryCount: 2, exitCode: 1 })
    expect(textOf(join(folder, 'ticks'))).to.equal('x\nx\nx\n')
    expect(run.node('late')).to.include({ status: 'failed', retryCount: 0, exitCode: 124 })
  })
})
