/** `troupe audit --follow`, on a log in memory and a clock of its own. Source: docs/cli.md. */
import { expect } from 'chai'
import type { Entry } from '../../../../src/audit/entry.ts'
import { matcher } from '../../../../src/audit/filter.ts'
import type { AuditLog, ListedFilter } from '../../../../src/cli/commands/audit/audit-log.ts'
import { follow } from '../../../../src/cli/commands/audit/follow.ts'
import { TroupeError } from '../../../../src/errors.ts'
import { simulatedClock } from '../../../support/simulated/simulated-clock.ts'

const entry = (seq: number): Entry => ({
  seq,
  at: new Date(seq).toISOString(),
  principal: { kind: 'owner', name: 'ann' },
  door: 'cli',
  operation: seq % 2 === 0 ? 'even' : 'odd',
  outcome: 'done',
  previous: '',
  hash: ''
})

describe('troupe audit --follow', () => {
  /** @param there how many entries are there at the beginning */
  function scene(there: number, filter: ListedFilter = {}, limit = 20) {
    const clock = simulatedClock()
    const [shown, said, asked]: [number[], string[], number[]] = [[], [], []]
    const state = { there, isAway: false }
    const log: AuditLog = {
      name: 'a log',
      async part(wanted, most, cursor) {
        if (state.isAway) throw new TroupeError('service_unavailable', 'the server does not answer')
        asked.push(most)
        const entries: Entry[] = []
        // Like the log of a home: it looks at a part of what is there, whether that matches or not.
        let seq = cursor === undefined ? state.there : Number(cursor)
        for (; seq > 0 && entries.length < most; seq--) if (matcher(wanted)(entry(seq))) entries.push(entry(seq))
        return { entries, ...(seq > 0 ? { next: String(seq) } : {}) }
      },
      lines: () => expect.fail('nobody asks for all lines'),
      all: () => expect.fail('nobody verifies'),
      whyEmpty: async () => 'no entry matches'
    }
    const enough = new AbortController()
    const over = follow(log, {
      filter,
      limit,
      clock,
      enough: enough.signal,
      say: (text) => void said.push(text),
      show: async (entries) => void shown.push(...entries.map(({ seq }) => seq))
    })
    const turns = async () => {
      for (let n = 0; n < 20; n++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    return {
      shown,
      said,
      asked,
      state,
      turns,
      /** A second later. */
      async later() {
        clock.goTo(clock.now() + 1_000)
        await turns()
      },
      async end() {
        enough.abort()
        await over
      }
    }
  }

  it('begins with the newest entries, the oldest of them first, and goes on with each that is new, once', async () => {
    const { shown, state, turns, later, end } = scene(50, {}, 3)
    await turns()
    expect(shown).to.deep.equal([48, 49, 50])
    await later()
    state.there = 52
    await later()
    await later()
    expect(shown).to.deep.equal([48, 49, 50, 51, 52])
    await end()
  })
  it('misses none, however many there are between two looks; a look at nothing new asks for few', async () => {
    const { shown, state, asked, turns, later, end } = scene(1)
    await turns()
    state.there = 5_000
    await later()
    expect(shown).to.deep.equal(Array.from({ length: 5_000 }, (_, at) => at + 1))
    asked.length = 0
    await later()
    expect(asked).to.deep.equal([20])
    await end()
  })
  it('shows what matches', async () => {
    const { shown, said, state, turns, later, end } = scene(1, { operation: 'even' })
    await turns()
    expect([shown, said]).to.deep.equal([[], ['no entry matches; waiting for one']])
    state.there = 6
    await later()
    expect(shown).to.deep.equal([2, 4, 6])
    await end()
  })
  it('a server that does not answer for a while is waited for, which is said once; what it has written meanwhile is shown', async () => {
    const { shown, said, state, turns, later, end } = scene(1)
    await turns()
    state.isAway = true
    for (let n = 0; n < 3; n++) await later()
    state.there = 3
    state.isAway = false
    await later()
    expect(shown).to.deep.equal([1, 2, 3])
    expect(said).to.deep.equal(['the server does not answer; waiting for it'])
    await end()
  })
})
