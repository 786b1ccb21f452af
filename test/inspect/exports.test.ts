/** What other tools are given: charts for Stately's editor and as Mermaid text. Source: docs/inspect.md. */
import { expect } from 'chai'
import { type AnyStateNode, createMachine } from 'xstate'
import { chart, charts, MACHINES } from '../../src/inspect/charts.ts'
import { sequenceDiagram, stateDiagram } from '../../src/inspect/mermaid.ts'
import { machineConfig } from '../../src/inspect/stately.ts'

const ALL = charts().map(({ id }) => id)
const chartOf = (id: string) => {
  const found = chart(id)
  if (found) return found
  throw new Error(`no chart ${id}`)
}
/** States and transitions, as XState has read them. */
function outline(node: AnyStateNode): unknown {
  const { key, type, description, tags, states } = node
  const transitions = [...node.transitions.values(), node.always ?? []].flat()
  return {
    key,
    type,
    description,
    tags: [...tags],
    transitions: transitions.map(({ eventType, target, guard }) => ({
      eventType,
      target: target?.map(({ path }) => path),
      guard: typeof guard === 'object' && 'type' in guard ? guard.type : guard
    })),
    states: Object.values(states).map(outline)
  }
}

describe('inspect › exports', () => {
  for (const id of ALL)
    it(`${id}: the exported config is a machine with the same states, transitions, guards and descriptions`, () => {
      const config = JSON.parse(JSON.stringify(machineConfig(chartOf(id))))
      const exported = createMachine(config)
      const guardless = (text: string) => text.replaceAll(/ \([a-z_]+\)"/g, '"') // what a guard is told is part of its exported name
      expect(guardless(JSON.stringify(outline(exported.root)))).to.equal(
        JSON.stringify(outline(MACHINES.get(id)?.root as AnyStateNode))
      )
    })

  for (const id of ALL)
    it(`${id}: the diagram names every state, and each line of it is one that Mermaid reads`, () => {
      const text = stateDiagram(chartOf(id))
      const line =
        /^(?:stateDiagram-v2| {2}%% [^\n]*| *state "[^"]*" as \w+| *state \w+ \{| *\}| *(?:\[\*\]|\w+) --> (?:\[\*\]|\w+)(?:: [^":;{}]*)?)$/
      for (const written of text.trimEnd().split('\n')) expect(written).to.match(line)
      const states = (all: { path: string; states: never[] }[]): string[] =>
        all.flatMap(({ path, states: inner }) => [path, ...states(inner)])
      for (const path of states(chartOf(id).states as never))
        expect(text).to.contain(` as ${path.replace(/\W/g, '_')}\n`)
    })

  it('a name is data: nothing in it ends a line or begins another statement', () => {
    const evil = 'run/x/r1/node/a"\nparticipant p9 as <script>;%%{init: {}}%%'
    const text = sequenceDiagram(
      [evil],
      [{ seq: 1, at: 0, from: evil, to: evil, event: 'e;\nNote over p0: x', state: '#' }],
      0
    )
    expect(text.split('\n')).to.have.length(4)
    expect(text).to.not.match(/<script>|%%\{|\n {2}Note/)
    expect(text).to.contain('#60;script#62;#59;')
  })
})
