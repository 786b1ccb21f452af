/**
 * Every case of fixtures/format on a real engine. Titles are rule ids and the rule in the specification's words. Cases run
 * together, a few at a time; a test waits for its own. A case of a feature that is not built is skipped, and says so.
 */
import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { expectedOf, formatCases } from '../support/format/format-case.ts'
import { type Found, openStage, type Stage } from '../support/format/format-run.ts'
import { aligned } from '../support/format/golden-match.ts'
import { inTurns } from '../support/in-turns.ts'

/** Enough to fill the waits of cases that take a while. */
const AT_A_TIME = 12

describe('format › fixtures/format', () => {
  const cases = formatCases()
  const results = new Map<string, Promise<Found>>()
  let stage: Stage | undefined
  before(async () => {
    const opened = await openStage()
    stage = opened
    // Those that are stopped take the longest: they go first.
    const slowFirst = cases.toSorted((a, b) => Number(Boolean(b.start.stopWhen)) - Number(Boolean(a.start.stopWhen)))
    const found = inTurns(slowFirst, AT_A_TIME, (one) => opened.run(one))
    for (const [index, promise] of found.entries()) results.set(slowFirst[index]?.name ?? '', promise)
  })
  after(() => stage?.close())

  for (const one of cases)
    it(`${one.rules.join(', ')} ${one.title} (${one.name})`, async function () {
      const found = await (results.get(one.name) as Promise<Found>)
      if ('unsupported' in found) {
        if (this.test) this.test.title += `: skipped, ${found.unsupported}`
        return this.skip()
      }
      const outcome = aligned(found.outcome, expectedOf(one))
      if (process.env.UPDATE_GOLDEN && !isDeepStrictEqual(outcome, expectedOf(one)))
        writeFileSync(`${one.folder}/expected.json`, `${JSON.stringify(outcome, undefined, 2)}\n`)
      expect(outcome).to.deep.equal(expectedOf(one))
    })

  it('there is a case for every rule that one run can show', () => {
    expect(cases.length).to.be.at.least(250)
  })
})
