/** Runs that hold the slots which their sub runs need of each other: real programs, a real broker. Source: distribution 1; docs/decisions/workers.md (D1210). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openPlacing, type Placing } from '../../support/cli/placing.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › a standstill', function () {
  this.timeout(120_000)
  needsNats()
  let placing: Placing
  const marks = temporaryFolder()
  before(async () => {
    placing = await openPlacing()
    placing.worker('wa', ['-l', 'zone=a', '-m', '1'])
    placing.worker('wb', ['-l', 'zone=b', '-m', '1'])
    await placing.healthy('wa', 'wb')
  })
  after(() => placing?.close())

  const until = (mark: string) => `command: sh -c 'until test -e ${join(marks, mark)}; do sleep 0.1; done'`
  /** It calls a workflow on the other worker as soon as both of them have begun. */
  const crossing = (name: string, zone: string, other: string) => `
name: ${name}
workerSelector: {zone: ${zone}}
steps:
  - name: hold
    ${until('go')}
  - name: call
    call: ${name}-sub
    depends: hold
---
name: ${name}-sub
workerSelector: {zone: ${other}}
steps:
  - name: work
    ${until('end')}
`
  const causes = async (name: string, id: string) => {
    const { json } = await placing.ask(`/dag-runs/${name}/${id}/explain`)
    const { reasons = [] } = json as { reasons?: { about: { kind: string }; cause: string; text: string }[] }
    return reasons.filter(({ about }) => about.kind === 'run')
  }

  it('D2 one of the runs is held back and says so, its sub run too; then all of it ends, and each step has had its worker', async () => {
    const ids = {
      one: await placing.start(crossing('one', 'a', 'b')),
      two: await placing.start(crossing('two', 'b', 'a'))
    }
    const names = ['one', 'two'] as const
    await eventually('both are at work', async () => {
      const runs = await Promise.all(names.map((name) => placing.run(name, ids[name])))
      return runs.every(({ nodes }) => nodes[0]?.statusLabel === 'running') || undefined
    })
    writeFileSync(join(marks, 'go'), '')
    const held = await eventually('one is held back', async () => {
      for (const name of names)
        if ((await causes(name, ids[name])).some(({ cause }) => cause === 'run_held_back')) return name
      return undefined
    })
    const worker = held === 'one' ? 'wa' : 'wb'
    expect((await causes(held, ids[held]))[0]?.text).to.equal(
      `the run is held back: it only waited for its sub runs, and another run goes on in its place on ${worker}`
    )
    const sub = (await placing.run(held, ids[held])).nodes[1]?.subRuns[0]
    expect((await causes(`${held}-sub`, sub?.dagRunId ?? '')).map(({ cause, text }) => [cause, text])).to.deep.equal([
      [
        'run_held_back',
        `the run ${ids[held]} of ${held}, which it belongs to, is held back: it only waited for its sub runs, and another run goes on in its place on ${worker}`
      ]
    ])
    writeFileSync(join(marks, 'end'), '')
    for (const name of names) {
      const run = await placing.ended(name, ids[name])
      const own = name === 'one' ? 'wa' : 'wb'
      expect([run.statusLabel, ...run.nodes.map(({ workerId }) => workerId)]).to.deep.equal([
        'succeeded',
        own,
        undefined
      ])
    }
  })
})
