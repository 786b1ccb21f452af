/** An engine that only reads a home, which another engine may own. Source: `EngineOptions.readOnly`. */
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('an engine that was opened to read only', () => {
  it('refuses every change of definitions, like every command: another engine may own the home', async () => {
    const home = temporaryFolder()
    const owner = await createEngine({ home })
    await owner.createDefinition('kept', 'steps: ["true"]')
    const reader = await createEngine({ home, readOnly: true })
    try {
      const changes = {
        removeDefinition: () => reader.removeDefinition('kept'),
        suspendDefinition: () => reader.suspendDefinition('kept', true)
      }
      for (const [name, change] of Object.entries(changes))
        expect(change, name).to.throw('opened to read only').and.include({ code: 'service_unavailable' })
      const late = [
        reader.createDefinition('new', 'steps: ["true"]'),
        reader.replaceDefinition('kept', 'steps: ["false"]'),
        reader.renameDefinition('kept', 'new')
      ]
      for (const change of late)
        expect(await change.catch((error: unknown) => error)).to.include({ code: 'service_unavailable' })
      const [stored, ...others] = owner.definitions()
      expect(stored).to.deep.include({ fileName: 'kept', spec: 'steps: ["true"]', suspended: false })
      expect(others).to.deep.equal([])
      expect((await reader.validate('steps: ["true"]')).problems).to.deep.equal([])
    } finally {
      await reader.close()
      await owner.close()
    }
  })
  it('reports since when it has been running: that does not move with the clock', async () => {
    const home = temporaryFolder()
    await (await createEngine({ home })).close()
    let now = systemClock.now()
    const reader = await createEngine({ home, readOnly: true, clock: { ...systemClock, now: () => now } })
    const startedAt = now
    now += 60_000
    expect(await reader.health()).to.include({ startedAt, now })
    await reader.close()
  })
})
