/** What a sub DAG run returns to the step that calls it, and where its logs are. Source: execution-semantics 9.3. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { calledBench, KID } from '../../support/engine/called.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const { live, subOf } = calledBench()

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
