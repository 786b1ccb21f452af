/** From a command to a process, with real shells. Source: execution-semantics 4.1. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('commands of steps', () => {
  const live = liveEngine()

  it('a text that holds a NUL character cannot be executed and says so', async () => {
    const run = await live.run('steps: [{name: nul, command: "echo a\\0b"}]').catch((error) => error)
    const said = run instanceof Error ? run.message : run.node('nul').error
    expect(said).to.match(/NUL/)
  })
})
