/** An execution that a crash interrupted, on a real store. Source: execution-semantics 13.5.3. */
import { expect } from 'chai'
import type { Plan } from '../../../machines/vocabulary.ts'
import type { Running } from '../../../src/executors/executor.ts'
import { crashedIn, nodeOf, one, quick, survivor } from '../../support/engine/crashed-run.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { simulate } from '../../support/simulated/simulation.ts'

describe('actors › 13.5.3 onInterrupt', () => {
  const given = (onInterrupt: Plan['onInterrupt']) => one({ retry: { limit: 3 } }, { onInterrupt })
  const unknown = (isGone: boolean): Running => ({
    ...survivor().running,
    isGone,
    ended: Promise.reject(new Error('interrupted: outcome unknown'))
  })

  it('fail: what lives is killed; the node fails when it is gone', async () => {
    const { running, signals, end } = survivor()
    const { again, key } = await crashedIn('attempting.executing', given('fail'), { after: { find: () => running } })
    await again.play(() => signals.length > 0)
    expect(nodeOf(again, key)).to.include({ status: 'running' })
    end(-1, 'killed')
    await again.play()
    expect(again.begun).to.deep.equal([])
    expect(nodeOf(again, key)).to.include({
      status: 'failed',
      retryCount: 0,
      error: 'interrupted: killed after a restart of the engine'
    })
    await again.store.root.close()
  })

  it('rerun: what lives is killed, then it is executed again; no retry is counted', async () => {
    const { running, signals, end } = survivor()
    const { again, key } = await crashedIn('attempting.executing', given('rerun'), { after: { find: () => running } })
    await again.play(() => signals.length > 0)
    expect(again.begun).to.deep.equal([])
    end(-1, 'killed')
    await again.play()
    expect(again.begun).to.deep.equal(['a#2'])
    expect(nodeOf(again, key)).to.include({ status: 'succeeded', retryCount: 0, doneCount: 1 })
    await again.store.root.close()
  })

  it('a restart while it is being killed: it is killed again', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, quick)
    const key = await first.start(given('rerun'), 'r')
    await first.play(() => first.begun.length === 1)
    await first.crash()
    const stubborn = survivor()
    const second = await simulate(home, quick, simulatedClock(first.clock.now() + 5), { find: () => stubborn.running })
    await second.play(() => stubborn.signals.length > 0)
    await second.crash()
    const { running, signals, end } = survivor()
    const third = await simulate(home, quick, simulatedClock(second.clock.now() + 5), { find: () => running })
    await third.play(() => signals.length > 0)
    end(-1, 'killed')
    await third.play()
    expect(third.begun).to.deep.equal(['a#2'])
    expect(nodeOf(third, key)).to.include({ status: 'succeeded' })
    await third.store.root.close()
  })

  it('outcome unknown: resume lets retryPolicy decide, fail fails, rerun executes again', async () => {
    for (const isGone of [false, true])
      for (const [onInterrupt, begun, wanted] of [
        ['resume', ['a#2'], { status: 'succeeded', retryCount: 1 }],
        ['fail', [], { status: 'failed', retryCount: 0, error: 'interrupted: outcome unknown' }],
        ['rerun', ['a#2'], { status: 'succeeded', retryCount: 0 }]
      ] as const) {
        const find = () => unknown(isGone)
        const { again, key } = await crashedIn('attempting.executing', given(onInterrupt), { after: { find } })
        await again.play()
        expect(again.begun, onInterrupt).to.deep.equal(begun)
        expect(nodeOf(again, key), onInterrupt).to.include(wanted)
        const found = again.journal(key).filter(({ event }) => event === 'attempt.found')
        expect(found, 'told of one that may be at work, or may not go on').to.have.length(
          isGone && onInterrupt === 'resume' ? 0 : 1
        )
        await again.store.root.close()
      }
  })

  it('a recorded end is taken, whatever onInterrupt says', async () => {
    for (const onInterrupt of ['resume', 'fail', 'rerun'] as const) {
      const { running, signals, end } = survivor()
      end(0)
      const find = () => ({ ...running, over: true })
      const { again, key } = await crashedIn('attempting.executing', given(onInterrupt), { after: { find } })
      await again.play()
      expect(again.begun).to.deep.equal([])
      expect(signals).to.deep.equal([])
      expect(nodeOf(again, key)).to.include({ status: 'succeeded' })
      await again.store.root.close()
    }
  })
})
