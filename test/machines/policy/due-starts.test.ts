/** Which starts are due in a minute, made-up ones included. Source: execution-semantics 11.5, 11.12, 11.13. */
import { expect } from 'chai'
import type { Due } from '../../../machines/policy/due.ts'
import { type Found, isOver, mayBeBehind, withMadeUp } from '../../../machines/policy/due-starts.ts'
import type { Catchup, Plan } from '../../../machines/vocabulary.ts'
import { plan as planOf, step } from '../../support/charts/plans.ts'

const MINUTE = 60_000
const AT = 1_800_000
const plan = (catchup: Catchup): Plan =>
  planOf([step('s')], { name: 'a', catchup, schedule: { start: ['* * * * *'], stop: [], restart: [] } })
const found = (catchup: Catchup, wish: Partial<Found> = {}, due: Partial<Due> = {}): Found => ({
  due: { fileName: 'a', name: 'a', kind: 'start', slot: AT, ...due },
  plan: plan(catchup),
  missed: false,
  late: false,
  expressions: ['* * * * *'],
  ...wish
})
const behind = (catchup: Catchup, ...minutes: number[]) => [
  { fileName: 'a', plan: plan(catchup), missedStarts: minutes.map((minute) => AT - minute * MINUTE) }
]
/** Minutes before this one, and how each is due. */
const told = (all: readonly Found[]) =>
  all.map(({ due: { fileName, kind, slot, catchup }, missed, late }) =>
    [fileName, kind, (AT - slot) / MINUTE, catchup, missed && 'missed', late && 'late'].filter((it) => it).join(' ')
  )

describe('policy › due starts', () => {
  it('without catchup, what is missed stays so', () => {
    const all = [found('none', { missed: true }, { slot: AT - MINUTE }), found('none')]
    expect(withMadeUp(all, [])).to.equal(all)
    expect(withMadeUp(all, behind('none', 1))).to.equal(all)
  })
  it('all: each missed start is late, and that of this minute comes after them, in the same line', () => {
    const all = [found('all', { missed: true }, { slot: AT - MINUTE }), found('all')]
    expect(told(withMadeUp(all, behind('all', 3, 2, 1)))).to.deep.equal([
      'a start 3 all late',
      'a start 2 all late',
      'a start 1 all late',
      'a start all'
    ])
  })
  it('last: the latest missed start stands for all; the start of this minute for that one', () => {
    expect(told(withMadeUp([], behind('last', 2, 1)))).to.deep.equal(['a start 1 last late'])
    expect(told(withMadeUp([found('last')], behind('last', 2, 1)))).to.deep.equal(['a start'])
  })
  it('stops, restarts and other definitions are left as they are', () => {
    const all = [
      found('all', {}, { kind: 'stop' }),
      found('none', { missed: true }, { fileName: 'b' }),
      found('all', {}, { kind: 'restart' })
    ]
    expect(told(withMadeUp(all, behind('all', 1)))).to.deep.equal([
      'a stop',
      'b start missed',
      'a restart',
      'a start 1 all late'
    ])
  })
  it('missed starts are looked for where a definition wishes it and is new, has changed or starts now', () => {
    const files = (changed: Catchup[], all: Found[]) =>
      mayBeBehind(
        changed.map((catchup, n) => ({ fileName: `new${n}`, plan: plan(catchup) })),
        all
      ).map(({ fileName }) => fileName)
    expect(files(['all', 'none', 'last'], [])).to.deep.equal(['new0', 'new2'])
    expect(files([], [found('last'), found('last', {}, { fileName: 'b', kind: 'stop' })])).to.deep.equal(['a'])
    expect(files(['all'], [found('all', { missed: true }, { fileName: 'new0' })])).to.deep.equal(['new0'])
  })
  it('a minute is over when its 60 s are, or when the clock was set back before it; a made-up one never is', () => {
    const { due } = found('none')
    const over = (now: number) => isOver(due, now, 61_000)
    expect([over(AT - 61_001), over(AT - 61_000), over(AT), over(AT + MINUTE - 1), over(AT + MINUTE)]).to.deep.equal([
      true,
      false,
      false,
      false,
      true
    ])
    expect(isOver({ ...due, catchup: 'all' }, AT + 5 * MINUTE, 61_000)).to.equal(false)
  })
})
