/** The output of a step that is set by hand. Source: docs/http-api.md "Running again", docs/decisions/runs.md D1792. */
import { expect } from 'chai'
import type { SettableStatus } from '../../../src/engine/engine.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { canary, leaks } from '../../support/engine/secret-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** What an error says; `accepted`: there was none. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    ({ message }: Error) => message
  )

describe('output of a step by hand', () => {
  const token = canary()
  before(() => {
    process.env.BY_HAND = token
  })
  after(() => {
    delete process.env.BY_HAND
  })
  const live = liveEngine()
  const set = (
    run: { name: string; dagRunId: string },
    step: string,
    output: string,
    status: SettableStatus = 'succeeded'
  ) => live.engine.setNodeStatus({ root: { name: run.name, dagRunId: run.dagRunId }, step }, status, output)
  const spec = (folder: string, more = '') => `
workingDir: ${folder}
maxOutputSize: 64
${more}
steps:
  - {name: a, command: exit 1, output: A}
  - {name: b, command: 'echo "[\${A}]"', output: B}
`

  it('17 steps after it see it; the step itself never executes', async () => {
    const { run } = await live.run(spec(temporaryFolder()))
    await set(run, 'a', ' by hand\n')
    const after = await live.ended(await live.engine.retry(run))
    expect(after.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect([after.node('a').output, after.node('b').output]).to.deep.equal(['by hand', '[by hand]'])
  })

  it('secrets in it are masked in what is stored, and whole for the steps after it', async () => {
    const secrets = 'secrets: [{name: TOKEN, provider: env, key: BY_HAND}]'
    const { run } = await live.run(spec(temporaryFolder(), secrets))
    await set(run, 'a', `x${token}y`)
    expect(live.engine.run(run)?.nodes[0]?.node.output).to.equal('x*******y')
    const after = await live.ended(await live.engine.retry(run))
    expect(after.node('b').output).to.equal('[x*******y]')
    expect(leaks(live.engine.home, token)).to.deep.equal([])
  })

  it('is refused, and nothing changed: another status, a step that captures nothing, too much, a secret that runs only know', async () => {
    const { run } = await live.run(`${spec(temporaryFolder())}  - {name: c, command: "true"}\n`)
    const refusals = [
      await refusal(set(run, 'a', 'x', 'failed')),
      await refusal(set(run, 'c', 'x')),
      await refusal(set(run, 'a', 'x'.repeat(65)))
    ]
    expect(refusals).to.deep.equal([
      'output: wanted with the status succeeded (4), found failed',
      'output: step c captures none: it is no function, and its definition has no `output`',
      'output: failed to capture output: output exceeded maximum size limit of 64 bytes'
    ])
    const secrets = 'secrets: [{name: TOKEN, provider: command, key: echo t0ken-value}]'
    const { run: other } = await live.run(spec(temporaryFolder(), secrets))
    expect(await refusal(set(other, 'a', 'x'))).to.match(
      /^output: it could not be masked, as TOKEN of .* is known to its runs only; set the status alone$/
    )
    for (const one of [run, other])
      expect(live.engine.run(one)?.nodes[0]?.node).to.include({ status: 'failed', output: '' })
  })
})
