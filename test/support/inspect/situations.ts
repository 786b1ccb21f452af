/** Situations of runs and what is said of them, a test for each. */
import { expect } from 'chai'
import { type Brought, brought } from './explanations.ts'

export const steps = (...all: string[]) => `type: graph\nsteps:\n${all.map((step) => `  - ${step}\n`).join('')}`
export const one = (more = '') => steps(`{name: a, command: x${more}}`)
export const fails = (code = 3) => ({ script: () => ({ ms: 1_000, exitCode: code }) })
export const succeeds = { ms: 1_000, exitCode: 0 }
export const failed = { ms: 1_000, exitCode: 3 }
/** A workflow that calls `kid`. */
export const parent = (call: string, kid = 'steps: [{name: k, command: x}]') =>
  `steps:\n  - {name: calls, ${call}}\n---\nname: kid\n${kid}\n`

type Case = [title: string, wish: Brought, expected: Record<string, string>]

/** @param cases what is brought about, and the causes that are met then, by what they are about */
export const table = (title: string, cases: Case[]) =>
  describe(`explain › ${title}`, () => {
    for (const [name, wish, expected] of cases)
      it(name, async () => {
        const met = await brought(wish)
        expect(met.causes).to.deep.include(expected)
        await met.simulation.store.root.close()
      })
  })
