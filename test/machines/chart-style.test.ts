/** The charts keep the style of design/style.md "A machine", so that a viewer, a walker and a reader can use them. */
import { expect } from 'chai'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { getStateNodes } from 'xstate/graph'
import { deliveryMachine } from '../../machines/delivery.ts'
import { eachMachine } from '../../machines/each.ts'
import { engineMachine } from '../../machines/engine.ts'
import { nodeMachine } from '../../machines/node.ts'
import { queueMachine } from '../../machines/queue.ts'
import { restartMachine } from '../../machines/restart.ts'
import { runMachine } from '../../machines/run.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { NodeStatus, RunStatus } from '../../machines/vocabulary.ts'
import { workerMachine } from '../../machines/worker.ts'
import { importsOf, sources, strangersIn } from '../support/tree/imports.ts'

const machines: AnyStateMachine[] = [
  engineMachine,
  schedulerMachine,
  restartMachine,
  queueMachine,
  runMachine,
  nodeMachine,
  eachMachine,
  workerMachine,
  deliveryMachine
]
const nodeStatuses: NodeStatus[] = [
  'not_started',
  'running',
  'failed',
  'canceled',
  'succeeded',
  'skipped',
  'partially_succeeded'
]
const runStatuses: RunStatus[] = [
  'not_started',
  'running',
  'failed',
  'canceled',
  'succeeded',
  'queued',
  'partially_succeeded'
]

const nameOf = ({ id }: AnyStateNode) => id
/** Tags of a state and of those around it. */
const tagsOf = (state: AnyStateNode | undefined): string[] => (state ? [...tagsOf(state.parent), ...state.tags] : [])

/** Inline functions among the guards and actions of a chart, and `after`, as paths into its definition. */
function inlined(config: object, path = ''): string[] {
  return Object.entries(config).flatMap(([member, value]: [string, unknown]) => {
    const here = `${path}.${member}`
    if (member === 'after') return [here]
    if (['context', 'input', 'params', 'output'].includes(member)) return []
    if (typeof value === 'function') return [here]
    return typeof value === 'object' && value !== null ? inlined(value, here) : []
  })
}

for (const machine of machines)
  describe(`chart style › ${machine.id}`, () => {
    it('every state has a description that is a sentence', () => {
      for (const state of [machine.root, ...getStateNodes(machine)])
        expect(state.description, nameOf(state)).to.match(/^\S.{8,}\.$/s)
    })
    it('names its guards and actions: no inline function but context, input, params and output; no `after`', () => {
      expect(inlined(machine.config)).to.deep.equal([])
    })
    it('implements every guard, action and actor that it names', () => {
      const { guards, actions, actors } = machine.implementations
      const named = (kind: string, known: object, names: string[]) =>
        names.filter((name) => !(name in known)).map((name) => `${kind} ${name}`)
      const used = namesIn(machine.config)
      expect([
        ...named('guard', guards, used.guards),
        ...named('action', actions, used.actions),
        ...named('actor', actors, used.actors)
      ]).to.deep.equal([])
    })
    it('uses every guard and action that it implements', () => {
      const { guards, actions } = machine.implementations
      const used = namesIn(machine.config)
      expect(Object.keys(guards).filter((name) => !used.guards.includes(name))).to.deep.equal([])
      expect(Object.keys(actions).filter((name) => !used.actions.includes(name))).to.deep.equal([])
    })
  })

describe('chart style › statuses', () => {
  for (const [machine, documented] of [
    [nodeMachine, nodeStatuses],
    [runMachine, runStatuses]
  ] as const)
    it(`every innermost state of ${machine.id} has exactly one tag, its own or inherited: a documented status`, () => {
      const leaves = getStateNodes(machine as AnyStateMachine).filter(
        ({ type }) => type === 'atomic' || type === 'final'
      )
      expect(leaves.length).to.be.greaterThan(5)
      for (const leaf of leaves) {
        const tags = tagsOf(leaf)
        expect(tags, nameOf(leaf)).to.have.length(1)
        expect(documented, nameOf(leaf)).to.include(tags[0])
      }
    })
  it('a final state is named as the status it stands for', () => {
    for (const machine of [nodeMachine, runMachine] as AnyStateMachine[])
      for (const state of getStateNodes(machine))
        if (state.type === 'final') expect([state.key, state.output]).to.deep.equal([state.tags[0], state.tags[0]])
  })
})

describe('chart style › imports', () => {
  it('machines/ imports xstate and itself, nothing else', () => {
    const files = sources(['machines'])
    expect(files.length).to.be.greaterThan(8)
    expect(files.flatMap(strangersIn)).to.deep.equal([])
    const packages = files.flatMap(({ text }) => importsOf(text)).filter(({ from }) => !from.startsWith('.'))
    expect([...new Set(packages.map(({ from }) => from))]).to.deep.equal(['xstate'])
  })
})

describe('chart style › the check itself', () => {
  it('finds an inline function and an `after`', () => {
    const planted = {
      states: { a: { on: { go: { guard: () => true } }, entry: ['named', () => {}], after: { 5: 'b' } } }
    }
    expect(inlined(planted)).to.deep.equal(['.states.a.on.go.guard', '.states.a.entry.1', '.states.a.after'])
  })
  it('lets context, input, params and output be functions', () => {
    expect(inlined({ context: () => ({}), entry: { type: 'named', params: () => ({}) } })).to.deep.equal([])
  })
})

/** Names of guards, actions and actors that a chart's definition mentions. */
function namesIn(config: unknown): Record<'guards' | 'actions' | 'actors', string[]> {
  const found = { guards: [] as string[], actions: [] as string[], actors: [] as string[] }
  const name = (item: unknown) => (typeof item === 'string' ? item : String((item as { type?: string }).type))
  const list = (item: unknown) => (Array.isArray(item) ? item : [item])
  const look = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return
    for (const [member, value] of Object.entries(item)) {
      if (member === 'guard') found.guards.push(name(value))
      else if (['actions', 'entry', 'exit'].includes(member)) found.actions.push(...list(value).map(name))
      else if (member === 'invoke') found.actors.push(...list(value).map(({ src }: { src: string }) => src))
      else if (!['context', 'input', 'params', 'output'].includes(member)) look(value)
    }
  }
  look(config)
  return found
}
