/** `parallel`: one sub workflow for each of many items. Source: execution-semantics 9.4. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Ended, liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'

const ECHO = `
---
name: echo
params: A=none
steps: [{command: 'echo "$A-\${1}"', output: OUT}]
`

describe('sub workflows › parallel', () => {
  const live = liveEngine()
  const json = (run: Ended, step = 'p') => JSON.parse(run.out(step))
  const outs = (run: Ended) => json(run).results.map(({ outputs }: { outputs: { OUT: string } }) => outputs.OUT)

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

  it('many items run', async () => {
    const count = ofAll(50, 200)
    const items = Array.from({ length: count }, (_, index) => `i${index}`).join(' ')
    const run = await live.run(`steps: [{name: p, call: echo, parallel: "${items}"}]${ECHO}`)
    expect(json(run).summary).to.deep.equal({ total: count, succeeded: count, failed: 0 })
  })
})
