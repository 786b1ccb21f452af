/** What a step that calls gives to its sub DAG runs. Source: execution-semantics 3.5.5. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const live = liveEngine()

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
