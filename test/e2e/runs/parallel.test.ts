/** `parallel`: one sub workflow for each of many items. Source: execution-semantics 9.4. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Ended, liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const ECHO = `
---
name: echo
params: A=none
steps: [{command: 'echo "$A-\${1}"', output: OUT}]
`

function aSchema(): string {
  const path = join(temporaryFolder(), 'schema.json')
  writeFileSync(path, '{"properties": {"N": {"type": "integer"}}}')
  return path
}

describe('sub workflows › parallel', () => {
  const live = liveEngine()
  const json = (run: Ended, step = 'p') => JSON.parse(run.out(step))
  const outs = (run: Ended) => json(run).results.map(({ outputs }: { outputs: { OUT: string } }) => outputs.OUT)

  it('9.4.9 summary, results and outputs, as 2-space JSON; ${RESULTS.summary.total}, .results[i].params, .outputs[i].name', async () => {
    const run = await live.run(`
steps:
  - {name: p, call: echo, parallel: [x, y], params: "A=\${ITEM}", output: RESULTS}
  - {name: q, command: 'echo "\${RESULTS.summary.total}|\${RESULTS.results[0].params}|\${RESULTS.outputs[1].OUT}"'}
${ECHO}`)
    expect(run.out('p')).to.match(
      /^{\n {2}"summary": {\n {4}"total": 2,\n {4}"succeeded": 2,\n {4}"failed": 0\n {2}},\n/
    )
    expect(json(run).outputs).to.deep.equal([{ OUT: 'x-' }, { OUT: 'y-' }])
    expect(run.out('q')).to.equal('2|A=x|y-\n')
    expect(run.nodes[0]?.calls?.subRuns.map(({ params }) => params)).to.deep.equal(['A="x"', 'A="y"'])
  })

  it('a sub run that cannot begin: the stderr log of its caller says which one, and why', async () => {
    const run = await live.run(`
steps:
  - {name: p, call: strict, parallel: [1, two], params: "N=\${ITEM}"}
---
name: strict
params: {schema: ${aSchema()}, values: {N: 3}}
steps: [{command: echo $N}]
`)
    expect(run.node('p')).to.include({
      status: 'failed',
      error: 'parallel execution failed: 1 of 2 child run(s) failed'
    })
    expect(run.err('p')).to.equal('strict N="two": parameter validation failed: /N: must be integer\n')
  })

  it('9.4.2 list, text, {items, maxConcurrent}; strings, numbers, flat maps; 9.4.5 ${ITEM} and ${ITEM.key}', async () => {
    const forms = [
      'parallel: [1, two]',
      'parallel: "1 two"',
      'parallel: {items: [1, two], maxConcurrent: 1}',
      'parallel: {items: "${LIST}"}',
      'parallel: "${LIST}"'
    ]
    for (const form of forms) {
      const run = await live.run(`
env: [{LIST: '["1", "two"]'}]
steps: [{name: p, call: echo, ${form}, params: "A=\${ITEM}"}]
${ECHO}`)
      expect(outs(run), form).to.deep.equal(['1-', 'two-'])
    }
    const maps = await live.run(`
steps: [{name: p, call: echo, parallel: [{b: 2, a: 1}], params: {A: "\${ITEM.a}+\${ITEM.b}+\${ITEM}"}}]
${ECHO}`)
    expect(outs(maps)).to.deep.equal(['1+2+{"a":"1","b":"2"}-'])
  })

  it('9.4.5 without params a string item becomes positional params, an object sets params by key', async () => {
    const run = await live.run(`
steps: [{name: p, call: echo, parallel: [first, {A: named}]}]
${ECHO}`)
    expect(outs(run)).to.deep.equal(['none-first', 'named-'])
  })

  it('9.4.3 at most maxConcurrent sub runs at a time, 9.4.7 results in the order of the items', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: p, call: one, parallel: {items: [a, b, c, d, e, f], maxConcurrent: 2}, params: "I=\${ITEM}"}]
---
name: one
params: I=x
steps: [{command: 'touch run.$I; ls run.* | wc -l >>seen; sleep 0.1; rm run.$I; echo $I', output: OUT}]
`)
    expect(outs(run)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
    const most = Math.max(...readFileSync(join(folder, 'seen'), 'utf8').trim().split('\n').map(Number))
    expect(most).to.be.within(1, 2)
  })

  it('9.4.6 at least 1 item, at most 1000: both fail the node', async () => {
    const none = await live.run(`env: [{LIST: ""}]\nsteps: [{name: p, call: echo, parallel: "\${LIST}"}]${ECHO}`)
    expect(none.node('p').error).to.contain('parallel execution requires at least one item')
    const many = Array.from({ length: 1_001 }, (_, index) => index).join(' ')
    const most = await live.run(`steps: [{name: p, call: echo, parallel: "${many}"}]${ECHO}`)
    expect(most.node('p').error).to.contain('parallel execution exceeds maximum limit: 1001 items (max: 1000)')
  })

  it('9.4.7 items giving the same final params are run once', async () => {
    const run = await live.run(`
steps: [{name: p, call: echo, parallel: [x, y, x], params: "A=\${ITEM}"}]
${ECHO}`)
    expect(json(run).summary).to.deep.equal({ total: 2, succeeded: 2, failed: 0 })
    expect(outs(run)).to.deep.equal(['x-', 'y-'])
  })

  it('9.4.8 no fail-fast: all items run; failed if any is neither succeeded nor partially_succeeded', async () => {
    const run = await live.run(`
steps: [{name: p, call: sometimes, parallel: {items: [1, 0, 2, 0.0], maxConcurrent: 1}, params: "C=\${ITEM}"}]
---
name: sometimes
params: C=0
steps: [{command: 'echo $C; exit \${C%.*}', output: OUT}]
`)
    expect(run.node('p')).to.include({
      status: 'failed',
      exitCode: 1,
      error: 'parallel execution failed: 2 of 4 child run(s) failed'
    })
    expect(json(run).summary).to.deep.equal({ total: 4, succeeded: 2, failed: 2 })
    expect(json(run).outputs).to.deep.equal([{ OUT: '0' }, { OUT: '0.0' }])
  })

  it('9.4.8 partially_succeeded if any sub run is; 9.4.9 it counts as succeeded', async () => {
    const run = await live.run(`
steps: [{name: p, call: partly, parallel: [a, b]}]
---
name: partly
steps: [{command: exit 1, continueOn: {failure: true}}, "true"]
`)
    expect(run.statuses).to.deep.equal(['partially_succeeded'])
    expect(json(run).summary).to.deep.equal({ total: 2, succeeded: 2, failed: 0 })
  })

  it('9.4.10 items not started when a stop arrives are missing in results and count in neither', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
workingDir: ${folder}
steps: [{name: p, call: slow, parallel: {items: [a, b, c, d], maxConcurrent: 2}, params: "I=\${ITEM}"}]
---
name: slow
params: I=x
steps: ["touch began.$I; sleep 60"]
`)
    const began = () => readdirSync(folder).filter((name) => name.startsWith('began.'))
    await eventually('two at work', () => (began().length === 2 ? true : undefined))
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(json(run).summary).to.deep.equal({ total: 4, succeeded: 0, failed: 2 })
    expect(json(run).results).to.have.length(2)
    expect(began()).to.have.length(2)
    expect(run.nodes[0]?.calls?.subRuns.map(({ record }) => record?.status)).to.deep.equal([
      'canceled',
      'canceled',
      undefined,
      undefined
    ])
    expect(existsSync(join(folder, 'began.c'))).to.equal(false)
  })

  it('many items run', async () => {
    const count = ofAll(50, 200)
    const items = Array.from({ length: count }, (_, index) => `i${index}`).join(' ')
    const run = await live.run(`steps: [{name: p, call: echo, parallel: "${items}"}]${ECHO}`)
    expect(json(run).summary).to.deep.equal({ total: count, succeeded: count, failed: 0 })
  })
})
