/** A step of a run that was placed on a worker. Source: distribution 4, D3, D13. */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

const restarted = (node: ReturnType<typeof driveNode>, wish: StepWish = {}) =>
  driveNode(step('a', wish), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })

describe('node › a step that is offered to a worker', () => {
  it('waits for the answer however long; no attempt is counted and no time limit runs', () => {
    const node = driveNode(step('a', { timeoutMs: 5_000 }))
    node.offered()
    node.stage.advance(86_400_000)
    expect([node.state(), node.status(), node.attempts()]).to.deep.equal([{ attempting: 'offering' }, 'running', [1]])
    node.answered()
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
  })
  it('D3 after a restart of the engine the same attempt is offered again', () => {
    const node = driveNode(step('a'))
    node.offered()
    const again = restarted(node)
    expect(again.stage.the('attempt').input).to.include({ attempt: 1 })
    again.offered()
    again.answered()
    again.ends(0)
    expect([again.status(), again.context().attempt]).to.deep.equal(['succeeded', 1])
  })
  it('one that had begun before that restart times out while it is offered again', () => {
    const wish = { timeoutMs: 5_000 }
    const node = driveNode(step('a', wish))
    node.offered()
    node.answered()
    node.began()
    const again = restarted(node, wish)
    again.offered()
    again.stage.advance(5_000)
    expect(again.state()).to.deep.equal({ attempting: { expiring: 'asked' } })
  })
  it('D13 a stop is passed on to the worker, and ends it; one that repeats finishes its pass', () => {
    const node = driveNode(step('a'))
    node.offered()
    node.stop()
    expect([node.status(), node.signals()]).to.deep.equal(['canceled', ['SIGTERM']])
    node.ends(-1, { error: 'signal: terminated' })
    expect(node.state()).to.equal('canceled')
    const repeating = driveNode(step('a', { repeat: repeat() }))
    repeating.offered()
    repeating.stop()
    expect(repeating.state()).to.deep.equal({ attempting: 'finishing' })
  })
})
