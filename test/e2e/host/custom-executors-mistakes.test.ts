/** Executors of a host application that are objects of a class, or have mistakes: the engine says so and continues. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('custom executors', () => {
  describe('that are objects of a class, and have mistakes', () => {
    class Counter {
      type = 'counter'
      #count = 0
      validate() {
        return this.#count > 0 ? ['it has counted already'] : []
      }
      async execute() {
        this.#count++
      }
      close() {
        this.#count = 0
      }
    }
    const spec = 'name: a\nsteps: [{name: a, executor: counter}]'

    it('keep what they know', async () => {
      const other = await createEngine({ temporary: true, executors: [new Counter()] })
      expect((await other.result(await other.start({ spec }))).run.status).to.equal('succeeded')
      const again = await other.start({ spec: `${spec} # again` }).catch((error: Error) => error)
      expect((again as Error).message).to.contain('it has counted already')
      await other.close()
    })

    for (const [what, validate, says] of [
      [
        'throws',
        () => {
          throw new Error('no fruit')
        },
        'no fruit'
      ],
      [
        'throws no text',
        () => {
          throw Object.create(null)
        },
        'what was thrown cannot be read'
      ],
      ['gives no list', () => 'x' as unknown as string[], 'wanted a list of sentences from its validate']
    ] as const)
      it(`a validate that ${what} is a problem of the step, and the other definitions are read`, async () => {
        const other = await createEngine({
          temporary: true,
          executors: [{ type: 'counter', execute: async () => {}, validate }]
        })
        await other.createDefinition('b')
        writeFileSync(join(other.config.dagsDir, 'a.yaml'), spec)
        const problems = other.definitions().map(({ definition }) => definition.problems.map(({ message }) => message))
        expect(problems.map(({ length }) => length)).to.deep.equal([1, 0])
        expect(problems[0]?.[0]).to.contain(`the executor counter could not check it: ${says}`)
        await other.close()
      })

    it('a close that fails, at once or later, delays nothing: the home is released', async () => {
      const home = temporaryFolder()
      const said: unknown[] = []
      const log = { debug() {}, info() {}, warn() {}, error: (_: string, fields: unknown) => void said.push(fields) }
      const failing = (type: string, close: () => void | Promise<void>) => ({ type, execute: async () => {}, close })
      const throws = failing('throws', () => {
        throw new Error('at once')
      })
      const rejects = failing('rejects', async () => {
        throw new Error('later')
      })
      await (await createEngine({ home, log, executors: [throws, rejects] })).close()
      expect(said).to.deep.equal([
        { type: 'throws', error: 'Error: at once' },
        { type: 'rejects', error: 'Error: later' }
      ])
      await (await createEngine({ home })).close()
    })
  })
})
