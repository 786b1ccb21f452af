/** Which workflow a step calls, by `call`, `run` or `executor: dag`, and what it gets. Source: execution-semantics 9.1, 9.2, 3.5.5; definition-format "Step fields". */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { calledBench, KID } from '../../support/engine/called.ts'
import type { Ended } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const { dags, live, subOf, json } = calledBench()

  it('9.1.1 a local workflow of the same file; 9.3.1 the result is 2-space JSON with keys in order; 9.3.5 JSON path access', async () => {
    const run = await live.run(`
steps:
  - {name: a, call: kid, params: X=hello, output: RES}
  - {name: b, command: 'echo "\${RES.outputs.OUT}|\${RES.status}|\${RES.params}|\${RES.name}"'}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    const { dagRunId } = subOf(run, 'a').run
    expect(run.out('a')).to.equal(
      `{\n  "name": "kid",\n  "dagRunId": "${dagRunId}",\n  "params": "X=hello Y=2",\n  "outputs": {\n    "OUT": "hello and 2"\n  },\n  "status": "succeeded"\n}\n`
    )
    expect(run.out('b')).to.equal('hello and 2|succeeded|X=hello Y=2|kid\n')
  })

  it('`run` is an alias of `call`, and `executor: dag` with command equals it (9.1.5)', async () => {
    const run = await live.run(`
steps:
  - {name: a, run: kid}
  - {name: b, executor: dag, command: kid}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect(json(run, 'b').outputs).to.deep.equal({ OUT: '1 and 2' })
  })

  it("9.1.1 a stored workflow of the definitions directory, `.yaml` optional, or a path; 4.4.5 it works in its file's directory", async () => {
    writeFileSync(join(dags, 'stored.yaml'), 'steps: [{command: pwd, output: WHERE}]')
    for (const target of ['stored', 'stored.yaml', join(dags, 'stored'), './stored.yaml']) {
      const run = await live.run(`steps: [{name: a, call: ${target}}]`)
      expect(run.status, target).to.equal('succeeded')
      expect(json(run, 'a')).to.deep.include({ name: 'stored', outputs: { WHERE: dags } })
    }
  })

  it('9.1.2 the name may contain variables; 9.1.3 not found: the node fails', async () => {
    const run = await live.run(`
params: WHO=kid
type: graph
steps:
  - {name: a, call: "\${WHO}"}
  - {name: b, call: "no\${WHO}"}
${KID}`)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('b').error).to.contain('failed to find DAG "nokid"')
    expect(run.err('b')).to.contain('failed to find DAG "nokid"')
  })

  it('a stored workflow with problems fails the node and names them', async () => {
    writeFileSync(join(dags, 'broken.yaml'), 'steps: [{command: a, depends: nobody}]')
    const run = await live.run('steps: [{name: a, call: broken}]')
    expect(run.node('a').error).to.contain('failed to load DAG "broken"').and.to.contain('nobody')
  })

  it('9.1.4 local workflows of one file can call each other, also from inside a sub run; 9.2.3 root is the top run, parent the caller', async () => {
    const run = await live.run(`
steps: [{name: a, call: middle}]
---
name: middle
steps: [{name: m, call: kid, output: RES}, {name: n, command: 'echo "\${RES.outputs.OUT}"', output: GOT}]
${KID}`)
    expect(json(run, 'a').outputs.GOT).to.equal('1 and 2')
    const middle = subOf(run, 'a')
    const innermost = live.engine.subRuns(run.run).find(({ name }) => name === 'kid')
    expect(middle.run.caller).to.deep.include({ root: keyOf(run), parent: keyOf(run), step: 'a', depth: 1 })
    expect(innermost?.caller).to.deep.include({ root: keyOf(run), parent: keyOf(middle), step: 'm', depth: 2 })
    expect(live.engine.runs({ name: 'kid' })).to.deep.equal([])
  })

  it('9.1.6 depth limit 32 levels', async () => {
    const run = await live.run(`
name: loop
steps: [{call: again}]
---
name: again
steps: [{call: again, output: RES}]
`)
    expect(run.status).to.equal('failed')
    const all = live.engine.subRuns(run.run)
    expect(all).to.have.length(32)
    const deepest = all.find(({ caller }) => caller?.depth === 32)
    expect(deepest && live.engine.run(deepest)?.nodes[0]?.node.error).to.contain('sub workflow nesting exceeds 32')
  })

  it("9.2.1 params: any form, values expanded at run time; 9.2.2 none: the sub workflow's defaults; 9.2.4 maxActiveRuns is ignored", async () => {
    const run = await live.run(`
env: [{WHO: "big world"}]
type: graph
steps:
  - {name: a, call: kid, params: 'X="a b" Y=\${WHO}'}
  - {name: b, call: kid, params: {X: 5, Y: "say \\"hi\\""}}
  - {name: c, call: kid, params: [{X: 6}, "Y=7"]}
  - {name: d, call: kid}
${KID}`)
    expect(['a', 'b', 'c', 'd'].map((name) => json(run, name).outputs.OUT)).to.deep.equal([
      'a b and big world',
      '5 and say "hi"',
      '6 and 7',
      '1 and 2'
    ])
    expect(run.nodes[0]?.calls?.subRuns[0]?.params).to.equal('X="a b" Y="big world"')
  })

  it("3.5.5 a sub workflow sees the parent's env, params, outputs and calling step's env at its own load; its steps do not receive them", async () => {
    const run = await live.run(`
env: [{PARENT_VAR: from-env}]
params: PARENT_PARAM=from-param
steps:
  - {name: o, command: echo from-output, output: PARENT_OUT}
  - {name: a, call: kid2, env: [{STEP_VAR: from-step}]}
---
name: kid2
env: [{A: "\${PARENT_VAR} \${PARENT_PARAM} \${PARENT_OUT} \${STEP_VAR}"}]
steps: [{command: 'echo "$A|$PARENT_VAR|$PARENT_PARAM|$STEP_VAR"', output: OUT}]
`)
    expect(json(run, 'a').outputs.OUT).to.equal('from-env from-param from-output from-step|||')
  })

  it("3.5.5 the calling step's env is evaluated once for all that an execution calls, and again for the next execution", async () => {
    const counted = join(temporaryFolder(), 'counted')
    const run = await live.run(`
steps:
  - name: a
    call: kid3
    parallel: [1, 2, 3]
    env: [{TURN: "\`echo x >>${counted}; wc -l <${counted}\`"}]
    retryPolicy: {limit: 1, intervalSec: 0}
---
name: kid3
env: [{SEEN: "\${TURN}"}]
steps: [{command: 'echo "$SEEN"; test "$SEEN" -gt 3', output: OUT}]
`)
    // Items may come from the step's variables, and the result is in them, too.
    const evaluations = readFileSync(counted, 'utf8').split('\n').length - 1
    expect(evaluations).to.be.within(4, 6)
    const written = run.out('a')
    const { outputs } = JSON.parse(written.slice(written.lastIndexOf('\n{\n')))
    const seenByItems = outputs.map(({ OUT }: { OUT: string }) => OUT)
    expect(new Set(seenByItems).size).to.equal(1)
    expect(run.nodes[0]?.node.retryCount).to.equal(1)
    expect(run.status).to.equal('succeeded')
  })

  it("4.4.5 a local workflow without its own workingDir works in the parent's DAG working directory", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: a, call: here}]
---
name: here
steps: [{command: pwd, output: OUT}]
`)
    expect(json(run, 'a').outputs.OUT).to.equal(folder)
  })

  it('a handler may call; its sub run has the handler as its caller (8.8)', async () => {
    const run = await live.run(`
handlerOn: {exit: {call: kid}}
steps: ["true"]
${KID}`)
    expect(run.node('onExit').status).to.equal('succeeded')
    expect(live.engine.subRuns(run.run).map(({ caller }) => caller?.step)).to.deep.equal(['onExit'])
  })
})

const keyOf = ({ run: { name, dagRunId } }: Ended) => ({ name, dagRunId })
