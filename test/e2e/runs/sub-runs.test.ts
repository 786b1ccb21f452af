/** Which workflow a step calls, by `call`, `run` or `executor: dag`, and what it gets. Source: execution-semantics 9.1, 9.2, 3.5.5; definition-format "Step fields". */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { calledBench, KID } from '../../support/engine/called.ts'
import type { Ended } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const { dags, live, subOf, json } = calledBench()

  it("9.1.1 a stored workflow of the definitions directory, `.yaml` optional, or a path; 4.4.5 it works in its file's directory", async () => {
    writeFileSync(join(dags, 'stored.yaml'), 'steps: [{command: pwd, output: WHERE}]')
    for (const target of ['stored', 'stored.yaml', join(dags, 'stored'), './stored.yaml']) {
      const run = await live.run(`steps: [{name: a, call: ${target}}]`)
      expect(run.status, target).to.equal('succeeded')
      expect(json(run, 'a')).to.deep.include({ name: 'stored', outputs: { WHERE: dags } })
    }
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
})

const keyOf = ({ run: { name, dagRunId } }: Ended) => ({ name, dagRunId })
