/**
 * A chart that runs by its table does what XState does with it, on all ways that the models know: each transition of each chart is on one
 * (`test/machines/walks/model.test.ts`).
 */
import { expect } from 'chai'
import {
  type AnyActorRef,
  type AnyStateMachine,
  assign,
  createActor,
  enqueueActions,
  fromCallback,
  type InspectionEvent,
  isMachineSnapshot,
  type Snapshot,
  sendTo,
  setup
} from 'xstate'
import { callMachine } from '../../../machines/call.ts'
import { eachMachine } from '../../../machines/each.ts'
import { engineMachine } from '../../../machines/engine.ts'
import { nodeMachine } from '../../../machines/node.ts'
import { queueMachine } from '../../../machines/queue.ts'
import { runMachine } from '../../../machines/run.ts'
import { quickTransitions } from '../../../src/actors/journal/quick-transitions.ts'
import { fixture } from '../../golden/cases.ts'
import { MODELS, WAYS } from '../../machines/walks/models/all.ts'
import type { Coverage, Model } from '../../support/charts/model.ts'

/** What can be seen of all actors, in order: what each hears, does, and is afterwards. */
function watch(change: (machine: AnyStateMachine) => AnyStateMachine) {
  const seen: unknown[] = []
  const changed = new Map<unknown, unknown>()
  const nameOf = (actor: unknown): string => {
    const { _parent: parent, id } = Object(actor) as Partial<AnyActorRef>
    return parent ? `${nameOf(parent)}/${id}` : 'root'
  }
  const inspect = (event: InspectionEvent) => {
    const actor = event.actorRef as AnyActorRef & { logic: unknown }
    if (event.type === '@xstate.actor') {
      const { logic } = actor
      if (!changed.has(logic)) changed.set(logic, isMachine(logic) ? change(logic) : logic)
      actor.logic = changed.get(logic) // it has no snapshot yet
    }
    const who = [event.type, nameOf(actor)]
    if (event.type === '@xstate.event') seen.push([who, nameOf(event.sourceRef), plain(event.event)])
    else if (event.type === '@xstate.action') seen.push([who, event.action.type, plain(event.action.params)])
    else if (event.type === '@xstate.snapshot') seen.push([who, plain(event.event), seenOf(event.snapshot)])
  }
  return { seen, inspect }
}

const isMachine = (logic: unknown): logic is AnyStateMachine => 'root' in Object(logic)
/** A copy as of now: contexts are changed in place. Actors are named, sets and maps are listed. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      member instanceof Set || member instanceof Map
        ? [...member]
        : member instanceof Error
          ? String(member)
          : typeof member === 'function'
            ? 'a function'
            : (member ?? null)
    )?.replace(/\bx:\d+\b/g, 'x') ?? 'null' // names of actors that have no other
  )

function seenOf(snapshot: Snapshot<unknown>) {
  if (!isMachineSnapshot(snapshot)) return plain(snapshot)
  const { value, tags, children, status, output, error, context, historyValue, _nodes: nodes } = snapshot
  const rest = { tags, status, output, error, context, historyValue, children: Object.keys(children) }
  // Nothing leads on from an error.
  return plain({ value, ...rest, nodes: status === 'error' ? [] : nodes.map(({ id }) => id).sort() })
}

/** Follows each way twice. */
const twice = (compare: (way: string, plain: unknown[], quick: unknown[]) => void): Pick<Coverage, 'follow'> => ({
  follow<L>(model: Model<L>, ways: string[]) {
    for (const way of ways) {
      const [plain = [], quick = []] = [(machine: AnyStateMachine) => machine, quickTransitions].map((change) => {
        const { seen, inspect } = watch(change)
        const live = model.open(inspect)
        for (const move of way === '' ? [] : way.split(' > ')) model.moves[move]?.(live)
        return seen
      })
      compare(way, plain, quick)
    }
  }
})

/** A chart with what ours do not have, or seldom. */
const rare = setup({
  types: {} as { context: { log: string[]; fails: string }; events: { type: string }; input: { fails: string } },
  actors: {
    child: fromCallback(({ receive, sendBack }) => {
      receive(({ type }) => sendBack({ type: `heard.${type}` }))
    }),
    broken: fromCallback(() => {
      throw new Error('a broken child')
    })
  },
  guards: {
    fails: ({ context: { fails } }, { name }: { name: string }) => fails === name,
    throws: ({ context: { fails } }) => {
      if (fails === 'guard') throw new Error('a broken guard')
      return false
    }
  },
  actions: {
    note: assign(({ context }, { word }: { word: string }) => ({ log: [...context.log, word] })),
    greet: sendTo('greeted', { type: 'hello' }),
    raiseTwo: enqueueActions(({ enqueue }) => {
      enqueue.raise({ type: 'first' })
      enqueue.raise({ type: 'second' })
    }),
    fail: ({ context: { fails } }) => {
      if (fails === 'action') throw new Error('a broken action')
    }
  }
}).createMachine({
  id: 'rare',
  context: ({ input: { fails } }) => {
    if (fails === 'context') throw new Error('a broken context')
    return { log: [], fails }
  },
  initial: 'outer',
  entry: { type: 'note', params: { word: 'in' } },
  exit: { type: 'note', params: { word: 'out' } },
  on: {
    'over.*': '.over',
    again: { target: '#rare.outer.inner', actions: { type: 'note', params: { word: 'again' } } },
    '*': { actions: { type: 'note', params: { word: 'any' } } }
  },
  output: ({ context, event }) => ({ log: context.log, event }),
  states: {
    outer: {
      tags: 'running',
      entry: [{ type: 'note', params: { word: 'outer' } }, 'greet', 'fail'],
      exit: [{ type: 'note', params: { word: 'left' } }],
      invoke: { id: 'greeted', src: 'child' },
      initial: 'inner',
      on: {
        within: { target: '.deep', actions: { type: 'note', params: { word: 'within' } } },
        itself: { target: 'outer' },
        anew: { target: 'outer', reenter: true },
        guarded: [{ guard: 'throws', target: 'over' }, { target: 'waiting' }]
      },
      states: {
        inner: { on: { up: '#rare.outer', two: { actions: 'raiseTwo' }, first: 'deep', second: '#rare.waiting' } },
        deep: {
          entry: { type: 'note', params: { word: 'deep' } },
          always: { guard: { type: 'fails', params: { name: 'always' } }, target: '#rare.waiting' },
          on: { same: { target: 'deep', reenter: true }, quiet: { target: 'deep' } }
        }
      }
    },
    waiting: {
      tags: ['running', 'quiet'],
      always: { guard: { type: 'fails', params: { name: 'nothing' } } },
      invoke: { src: 'child' },
      after: { 1000: 'broken' },
      on: { broken: 'broken', again: undefined }
    },
    broken: { invoke: { src: 'broken' } },
    over: { type: 'final', output: ({ context }) => context.log.length }
  }
})
const WORDS = [
  'within',
  'itself',
  'anew',
  'guarded',
  'up',
  'two',
  'first',
  'second',
  'same',
  'quiet',
  'again',
  'broken',
  'over.now',
  'x'
]

function played(words: string[], fails: string, change: (machine: AnyStateMachine) => AnyStateMachine): unknown[] {
  const { seen, inspect } = watch(change)
  const clock = { setTimeout: () => 0, clearTimeout: () => {} }
  const actor = createActor(rare, { input: { fails }, inspect, clock })
  actor.subscribe({ error: (error) => seen.push(String(error)) })
  actor.start()
  for (const type of words) actor.send({ type })
  actor.stop()
  return seen
}

describe('actors › quick transitions', () => {
  const ways = JSON.parse(fixture(WAYS)) as Record<string, string[]>
  for (const [name, model] of Object.entries(MODELS).filter(([name]) => ways[name]?.length))
    it(`${name}: each way of the model is the same by the table and by XState`, () => {
      const compared = twice((way, plain, quick) => expect(quick, way).to.deep.equal(plain))
      model.follow(compared as Coverage, ways[name] ?? [])
    })
  it('the comparison can fail: a table of another chart is found out', () => {
    const other = (machine: AnyStateMachine) =>
      quickTransitions(machine.provide({ actions: { note: assign({ log: () => ['another'] }) } } as never))
    const same = (machine: AnyStateMachine) => machine
    expect(played(['within'], '', other)).not.to.deep.equal(played(['within'], '', same))
  })
  it('a chart with what ours have seldom behaves the same: raised events, states entered again, wildcards, faults', () => {
    const pairs = WORDS.flatMap((a) => WORDS.map((b) => [a, b]))
    const rows = pairs.map((pair, at) => [...pair, WORDS[at % 11] ?? ''])
    for (const fails of ['', 'always', 'nothing', 'guard', 'action', 'context'])
      for (const words of rows.filter((_, at) => at % (fails === '' ? 2 : 17) === 0))
        expect(played(words, fails, quickTransitions), `${words} ${fails}`).to.deep.equal(
          played(words, fails, (machine) => machine)
        )
  })
  it('a chart with states at the same time, with a history, or with an end within a state is left to XState', () => {
    const charts = [
      setup({}).createMachine({ context: () => ({}), type: 'parallel', states: { a: {}, b: {} } }),
      setup({}).createMachine({ context: () => ({}), initial: 'a', states: { a: {}, before: { type: 'history' } } }),
      setup({}).createMachine({
        context: () => ({}),
        initial: 'a',
        states: { a: { initial: 'end', states: { end: { type: 'final' } } } }
      })
    ]
    for (const chart of charts) expect(quickTransitions(chart)).to.equal(chart)
  })
  it('the charts of the engine are taken by the table', () => {
    for (const chart of [engineMachine, queueMachine, runMachine, nodeMachine, callMachine, eachMachine])
      expect(quickTransitions(chart as AnyStateMachine), chart.id).not.to.equal(chart)
  })
})
