/** `make race` at a small size, and planted faults that it must see. Source: reliability P1, P2, P3, P13. */
import { expect } from 'chai'
import { serve } from '../../../src/api/server.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { createEngine } from '../../../src/index.ts'
import { clientsOf } from '../../races/client.ts'
import { type RaceReport, race } from '../../races/race.ts'
import { scenarios } from '../../races/scenarios.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** One short race of `only` against an engine that `spoil` has changed. */
async function raced(width: number, only: string[], spoil: (engine: Engine) => Partial<Engine>): Promise<RaceReport> {
  const settings = { 'queues.config': [{ name: 'narrow', maxConcurrency: 1 }] }
  const engine = await createEngine({ temporary: true, defaultShell: 'sh', settings })
  const server = await serve({ ...engine, ...spoil(engine) }, { host: '127.0.0.1', port: 0 })
  const clients = clientsOf(Number(new URL(server.address).port), width)
  try {
    return await race({ clients, width, only, rounds: 1, seed: 1, folder: temporaryFolder() })
  } finally {
    clients.close()
    await server.close()
    await engine.close()
  }
}

describe('races', () => {
  for (const name of Object.keys(scenarios))
    it(`${name}: exactly one winner where one is documented, no 5xx, no acknowledged run lost, records and journals agree`, async () => {
      const { violations, requests } = await raced(24, [name], () => ({}))
      expect(violations).to.deep.equal([])
      expect(requests).to.be.greaterThan(10)
    })

  describe('a planted fault is seen', () => {
    const planted = (what: string, only: string, spoil: (engine: Engine) => Partial<Engine>, seen: RegExp) =>
      it(what, async () => {
        const { violations } = await raced(16, [only], spoil)
        expect(violations.join('\n')).to.match(seen)
      })

    planted(
      'two winners',
      'singleton',
      ({ start }) => ({
        start: (request) => {
          const { singleton: _, ...others } = request
          return start(others)
        }
      }),
      /starts with singleton: wanted 1 to be told 200, found 16/
    )
    planted(
      'an acknowledged run that is lost',
      'rename',
      ({ start }) => ({
        start: async (request) => {
          const { dagRunId = '' } = request
          return dagRunId.endsWith('-first') ? start(request) : { name: 'nobody', dagRunId }
        }
      }),
      /is there 0 times/
    )
    planted(
      'an answer that is not documented',
      'stop',
      () => ({
        stop: async () => {
          throw new Error('planted')
        }
      }),
      /stop .* was answered with 500 internal_error/
    )
    planted(
      'a record that its journal does not tell of',
      'patch',
      ({ journal }) => ({ journal: (...wish) => journal(...wish).filter(({ event }) => event !== 'node.set') }),
      /its journal says succeeded/
    )
    planted(
      'a definition that is gone, though its name was taken',
      'definitions',
      ({ createDefinition }) => ({
        createDefinition: (name, spec) => createDefinition(name, spec).catch(() => {})
      }),
      /created, \d+ deleted, and it is/
    )
  })
})
