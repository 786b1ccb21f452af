/** A small size of `make fuzz-api`, and planted bugs that it must find: each of them in `make test-long`. `SEED=n` repeats a series. Source: reliability P21, P22, T8. */
import { expect } from 'chai'
import { fuzz } from '../../fuzz/fuzz.ts'
import { PLANTS } from '../../fuzz/planted.ts'
import { slowRequests } from '../../fuzz/slow.ts'
import { itLong, ofAll, oneIn } from '../../support/long.ts'

const REQUESTS = ofAll(300, 1_000)
/** Answers that a series must have had among others, or it shows little. */
const SEEN = [
  '200',
  '204',
  '400 bad_request',
  '401 unauthorized',
  '403 forbidden',
  '404 not_found',
  '405 bad_request',
  '409 already_exists'
]

const MOST_SERIES = 5

describe('API › fuzz', () => {
  const seed = Number(process.env.SEED ?? 1)

  it(`${REQUESTS} requests made of the document: never 5xx but the documented 503, every answer as documented, nothing changed by what was refused or only read, and the server lives`, async () => {
    const { findings, answers, operations } = await fuzz({ requests: REQUESTS, seed })
    expect(findings, `SEED=${seed}`).to.deep.equal([])
    expect(Object.keys(answers), 'requests got everywhere').to.include.members(SEEN)
    expect(operations.asked).to.be.greaterThan(50)
    expect(operations.succeeded).to.be.greaterThan(35)
  })

  /** Generous: `make fuzz-api` holds to the promised 100 ms, and files of tests that run beside this one make computing slower. */
  const boundMs = 350

  /** Seconds of a thread's time each. */
  const long =
    /^validate: (secrets|nine|params as a map|unknown keys|mistakes|env|schedules of many|steps (that depend|in one line))/

  it('requests of hostile sizes: none delays /health, no matter who sends it, and each is answered', async function () {
    this.timeout(300_000)
    const asked: string[] = []
    const all = new RegExp(`^(?!${long.source.slice(1)})`)
    const some =
      /^(validate: (steps in a chain|aliases)|body: members|create|the (definition|list)|a search|start: a text of 9,000 steps)$/
    const only = ofAll(some, all)
    const slow = await slowRequests({ boundMs, only, progress: (name) => asked.push(name) })
    expect(slow).to.deep.equal([])
    expect(asked.length).to.be.greaterThan(ofAll(5, 40))
  })

  itLong('a planted slow route is found', async function () {
    this.timeout(300_000)
    const slow = await slowRequests({ boundMs, plant: 'slow', only: /^validate: (tags|aliases)$/ })
    expect(slow.map(({ name }) => name)).to.deep.equal(['validate: tags'])
  })

  /** Series that meet the bug early. Each new operation shifts what they ask for: a few may be tried. */
  const seeds = { throws: 4, changes: 2, shape: 1 }
  for (const plant of oneIn(PLANTS.length, PLANTS))
    it(`a planted bug is found: ${plant}`, async () => {
      for (let series = 0; series < MOST_SERIES; series++) {
        const { findings } = await fuzz({ requests: 4_000, seed: seeds[plant] + series, plant })
        if (findings.length > 0) return expect(findings).to.have.length(1)
      }
      expect.fail(`not found in ${MOST_SERIES} series`)
    })
})
