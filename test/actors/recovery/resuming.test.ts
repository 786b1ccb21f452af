/** Requests while thousands of runs are restored after a restart. Source: reliability P1, P3, P8; architecture 5. */
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate, type World } from '../../support/simulated/simulation.ts'

/** More than are restored in one transaction. */
const OPEN = 110
const keys = Array.from({ length: OPEN }, (_, n) => ({ name: 'many', dagRunId: `r${String(n).padStart(3, '0')}` }))
const many = plan([step('a')], { name: 'many', maxActiveRuns: OPEN })
const script: Script = () => ({ ms: 1_000, exitCode: 0 })
const last = keys.at(-1) as RunKey // there are some

/** An engine that comes after one that died with all of them open. */
async function restarted(meanwhile: World['meanwhile']): Promise<Simulation> {
  const home = temporaryFolder()
  const first = await simulate(home, script)
  await Promise.all(keys.map(({ dagRunId }) => first.start(many, dagRunId)))
  await first.play(() => first.begun.length === OPEN)
  await first.crash()
  return simulate(home, script, simulatedClock(first.clock.now() + 5), meanwhile ? { meanwhile } : {})
}

describe('actors › while runs are opened again after a restart', () => {
  it('P8 a stop of one that is not open again is not lost: it waits until it is', async () => {
    const again = await restarted(({ system }) => system.stop(last))
    await again.play()
    expect(again.record(last)?.status).to.equal('canceled')
    expect(again.record(keys[0] as RunKey)?.status).to.equal('succeeded')
    await again.crash()
  })

  it('P3 the end of one that is not open again is not reported before it has ended', async () => {
    let told: string | undefined
    const again = await restarted(async ({ system, record }) => {
      void system.ended(last).then(() => {
        told = record(last)?.status
      })
    })
    expect(told).to.equal(undefined)
    await again.play()
    expect(told).to.equal('succeeded')
    await again.crash()
  })

  it('P2, P13 their slots and their ids are taken from the first moment on', async () => {
    const again = await restarted(async ({ system, start }) => {
      expect(keys.filter((key) => !system.isOpen(key) || !system.isTaken(key))).to.deep.equal([])
      await start(many, 'one-more')
    })
    expect(again.record({ name: 'many', dagRunId: 'one-more' })).to.equal(undefined)
    await again.play()
    await again.start(many, 'one-more')
    await again.play()
    expect(again.record({ name: 'many', dagRunId: 'one-more' })?.status).to.equal('succeeded')
    expect(keys.filter((key) => again.system.isOpen(key))).to.deep.equal([])
    await again.crash()
  })

  it('P1 an engine that is closed meanwhile leaves the others unchanged to the next one', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, script)
    await Promise.all(keys.map(({ dagRunId }) => first.start(many, dagRunId)))
    await first.play(() => first.begun.length === OPEN)
    await first.crash()
    const closed = await simulate(home, script, simulatedClock(first.clock.now() + 5), {
      meanwhile: ({ system }) => system.close()
    })
    expect(keys.filter((key) => closed.record(key)?.status !== 'running')).to.deep.equal([])
    await closed.crash()
    const next = await simulate(home, script, simulatedClock(closed.clock.now() + 5))
    await next.play()
    expect(keys.filter((key) => next.record(key)?.status !== 'succeeded')).to.deep.equal([])
    await next.crash()
  })
})
