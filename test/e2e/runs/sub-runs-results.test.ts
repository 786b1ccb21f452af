/** What a sub DAG run returns to the step that calls it, and where its logs are. Source: execution-semantics 9.3. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { calledBench, KID } from '../../support/engine/called.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const { live, subOf, json } = calledBench()

  it('9.3.2 outputs: all output variables of all nodes, later node wins', async () => {
    const run = await live.run(`
steps: [{name: a, call: two}]
---
name: two
steps: [{command: echo 1, output: A}, {command: echo 2, output: B}, {command: echo 3, output: A}]
`)
    expect(json(run, 'a').outputs).to.deep.equal({ A: '3', B: '2' })
  })

  it('9.3.3 printed also when the sub run failed; 9.3.4 failed: exit code 1 and its error; partially_succeeded: partially_succeeded', async () => {
    const run = await live.run(`
type: graph
steps:
  - {name: a, call: bad}
  - {name: b, call: partly}
  - {name: c, command: echo c, depends: b}
---
name: bad
steps: [{command: "echo x; exit 3", output: OUT}]
---
name: partly
steps: [{command: exit 1, continueOn: {failure: true}}, "true"]
`)
    expect(run.statuses).to.deep.equal(['failed', 'partially_succeeded', 'succeeded'])
    expect(json(run, 'a')).to.deep.include({ status: 'failed', outputs: { OUT: 'x' } })
    const { dagRunId } = subOf(run, 'a').run
    expect(run.node('a')).to.deep.include({
      exitCode: 1,
      error: `sub DAG run ${dagRunId} failed with status: failed`
    })
    const partly = await live.run(`
steps: [{call: partly}]
---
name: partly
steps: [{command: exit 1, continueOn: {failure: true}}, "true"]
`)
    expect(partly.status).to.equal('partially_succeeded')
  })

  it("own logs and history: a sub run's logs lie below its root's", async () => {
    const run = await live.run(`steps: [{name: a, call: kid}]${KID}`)
    const sub = subOf(run, 'a')
    expect(dirname(sub.run.log)).to.equal(join(dirname(run.run.log), 'sub', sub.run.dagRunId))
    expect(readFileSync(sub.run.log, 'utf8')).to.contain('run finished')
    expect(sub.run.nodeLogs).to.equal(dirname(sub.run.log))
    expect(sub.out('cmd_1')).to.equal('1 and 2\n')
  })

  it('a step with call takes stdout:, output limits and continueOn.output like any other', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
maxOutputSize: 20
type: graph
steps:
  - {name: a, call: kid, stdout: copy.json}
  - {name: b, call: kid, output: RES}
  - {name: c, call: bad, continueOn: {output: '"status": "failed"'}}
  - {name: d, command: echo d, depends: c}
${KID}
---
name: bad
steps: [exit 1]
`)
    expect(JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8')).name).to.equal('kid')
    expect(run.node('b').error).to.contain('output exceeded maximum size limit of 20 bytes')
    expect(run.node('d').status).to.equal('succeeded')
  })
})
