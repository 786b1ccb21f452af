/** A step whose executor the engine lacks. Source: execution-semantics 13.5; docs/executors/custom.md. */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

const restarted = (node: ReturnType<typeof driveNode>, wish: StepWish = {}) =>
  driveNode(step('a', wish), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })
const wish = { retry: { limit: 2, interval: 1_000 }, timeoutMs: 5_000 } satisfies StepWish

describe('node › an engine that lacks the executor of a step never ends it', () => {
  it('it waits, running, however long; no retry is counted and no time limit runs', () => {
    const node = driveNode(step('a', wish))
    node.unsupported()
    node.stage.advance(86_400_000)
    expect([node.state(), node.status()]).to.deep.equal([{ attempting: 'unsupported' }, 'running'])
    expect([node.attempts(), node.context().retryCount, node.signals()]).to.deep.equal([[1], 0, []])
  })
  it('it goes on, as the same attempt, when an engine has the executor, after any number of engines that do not', () => {
    let node = driveNode(step('a', wish))
    node.unsupported()
    for (let restarts = 0; restarts < 3; restarts++) {
      node = restarted(node, wish)
      node.unsupported()
    }
    const home = restarted(node, wish)
    home.supported()
    expect(home.state()).to.deep.equal({ attempting: 'executing' })
    home.began()
    home.ends(0)
    expect([home.status(), home.context().attempt, home.context().retryCount]).to.deep.equal(['succeeded', 1, 0])
  })
  it('an execution that a crash of the application interrupted is left as it was; onInterrupt decides at home', () => {
    const at = driveNode(step('a', wish), { onInterrupt: 'fail' })
    at.began()
    const foreign = restarted(at, wish)
    foreign.unsupported()
    expect(foreign.state()).to.deep.equal({ attempting: 'unsupported' })
    const home = restarted(foreign, wish)
    home.supported()
    home.found()
    expect(home.state()).to.deep.equal({ attempting: 'interrupting' })
  })
  it('a time limit that ran when the application crashed ends nothing meanwhile', () => {
    const at = driveNode(step('a', wish))
    at.began()
    const foreign = restarted(at, wish)
    foreign.unsupported()
    foreign.stage.advance(60_000)
    expect(foreign.state()).to.deep.equal({ attempting: 'unsupported' })
  })
  it('a retry that falls due waits, as that attempt', () => {
    const node = driveNode(step('a', wish))
    node.ends(1)
    node.stage.advance(1_000)
    node.unsupported()
    expect([node.state(), node.attempts(), node.context().retryCount]).to.deep.equal([
      { attempting: 'unsupported' },
      [1, 2],
      1
    ])
  })
  it('a stop ends it, one that repeats too', () => {
    for (const given of [wish, { repeat: repeat() }]) {
      const node = driveNode(step('a', given))
      node.unsupported()
      node.stop()
      expect(node.status()).to.equal('canceled')
      node.ends(-1, { error: 'signal: terminated' })
      expect(node.state()).to.equal('canceled')
    }
  })
})
