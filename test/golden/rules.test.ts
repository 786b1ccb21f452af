/** Each rule of the semantics has a test: its id stands in a title, so that a reader finds it by searching. */
import { expect } from 'chai'
import { formatCases } from '../support/format/format-case.ts'
import { sources } from '../support/tree/imports.ts'

/** How many rules each part of the semantics has; its ids are `<part>.<number>`. */
const PARTS: Record<string, number> = {
  '1.1': 9,
  '1.2': 4,
  '1.3': 5,
  '1.4': 7,
  '1.5': 7,
  '1.6': 5,
  '2.1': 7,
  '2.2': 7,
  '2.3': 6,
  '3.1': 9,
  '3.2': 8,
  '3.5': 6,
  '3.7': 3,
  '4.1': 10,
  '4.2': 5,
  '4.3': 3,
  '4.4': 5,
  '4.5': 11,
  '5.6': 11,
  '6.1': 9,
  '6.2': 8,
  '7.1': 6,
  '7.2': 6,
  '7.3': 11,
  '8': 13,
  '9.1': 6,
  '9.2': 4,
  '9.3': 5,
  '9.4': 10,
  '9.5': 7,
  '10.3': 8,
  '10.4': 6,
  '10.5': 10,
  '10.6': 6,
  '10.7': 4,
  '10.9': 4,
  '11': 19,
  '12': 17,
  '13.1': 9,
  '13.2': 3,
  '13.3': 5,
  '13.5': 5,
  '14.1': 6,
  '14.2': 6,
  '14.3': 8,
  '14.4': 9,
  '14.5': 6
}
/** Those of containers have gaps. */
const CONTAINERS = [...range(1, 15), ...range(20, 27), ...range(30, 33)].map((number) => `10.2.${number}`)

const NOTHING_TO_SHOW = new Map([
  ['3.5.6', 'says that there is nothing'],
  ['13.5.1', 'says what Dagu does; 13.5.2 says what is done here'],
  ['13.5.5', 'is about workers, of which this release has none']
])

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

const TITLE = /\b(?:describe|it)(?:\.\w+)?\(\s*(?<quote>['"`])(?<title>[\s\S]*?)\k<quote>/g
const ID = /(?<![\d.])\d+\.\d+(?:\.\d+)?(?![\d]|\.\d)/g

describe('rules of execution-semantics', () => {
  it('each stands in the title of a test, or in a case of fixtures/format', () => {
    const titles = sources(['test']).flatMap(({ text }) =>
      Array.from(text.matchAll(TITLE), ({ groups }) => groups?.title ?? '')
    )
    const named = new Set([
      ...titles.flatMap((title) => title.match(ID) ?? []),
      ...formatCases().flatMap(({ rules }) => rules)
    ])
    const rules = [
      ...Object.entries(PARTS).flatMap(([part, count]) => range(1, count).map((number) => `${part}.${number}`)),
      ...CONTAINERS
    ]
    expect(rules).to.have.length.above(350)
    expect(rules.filter((rule) => !named.has(rule))).to.deep.equal([...NOTHING_TO_SHOW.keys()])
  })
})
