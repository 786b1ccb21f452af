/** Executions that are given up because their worker is out of reach, and what is said of their ends later. Source: distribution 1 (D6). */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { type StepWish, step } from '../../support/charts/plans.ts'

type Options = NonNullable<Parameters<typeof driveNode>[1]>
function working(wish: StepWish = {}, options: Options = {}) {
  const node = driveNode(step('a', wish), options)
  node.offered()
  node.answered()
  return node
}
const on = { worker: 'wa', home: 'a1' }

describe('node › an execution that was given up', () => {
  it('is noted when a step fails, is stopped or is begun elsewhere because its worker is lost', () => {
    const failed = working()
    failed.loses()
    expect([failed.status(), failed.context().givenUp]).to.deep.equal(['failed', [{ attempt: 1, ...on }]])

    const stopped = working({}, { onWorkerLost: 'wait' })
    stopped.loses()
    stopped.stop()
    expect([stopped.status(), stopped.context().givenUp]).to.deep.equal(['canceled', [{ attempt: 1, ...on }]])

    const asked = working()
    asked.stop()
    asked.loses()
    expect([asked.status(), asked.context().givenUp]).to.deep.equal(['canceled', [{ attempt: 1, ...on }]])

    const again = working({}, { onWorkerLost: 'requeue' })
    again.loses()
    expect(again.context().givenUp, 'not yet').to.equal(undefined)
    again.fenced()
    expect([again.state(), again.context().givenUp]).to.deep.equal(['placing', [{ attempt: 1, ...on }]])

    const retried = working({ retry: { limit: 1, interval: 0 } })
    retried.loses()
    retried.fenced()
    expect(retried.context().givenUp).to.deep.equal([{ attempt: 1, ...on }])
  })
  it('is none whose end was heard, from a lost worker that is back, too', () => {
    const node = working({ retry: { limit: 1 } })
    node.ends(0)
    expect(node.context().givenUp).to.equal(undefined)
    const back = working({ retry: { limit: 1 } })
    back.loses()
    back.ends(0)
    expect([back.status(), back.context().givenUp]).to.deep.equal(['succeeded', undefined])
  })
  it('D6 its end is noted when it is heard after all, once, and nothing follows from it', () => {
    const node = working({}, { onWorkerLost: 'requeue' })
    node.loses()
    node.fenced()
    node.replaced()
    const before = node.state()
    const late = { endedAt: 5, heardAt: 9, exitCode: 0 }
    node.actor.send({ type: 'attempt.late', at: 9, attempt: 1, late })
    node.actor.send({ type: 'attempt.late', at: 10, attempt: 1, late: { ...late, exitCode: 1 } })
    node.actor.send({ type: 'attempt.late', at: 10, attempt: 2, late })
    expect([node.state(), node.context().givenUp]).to.deep.equal([before, [{ attempt: 1, ...on, late }]])
    expect(node.attempts()).to.deep.equal([1, 2])
  })
})
