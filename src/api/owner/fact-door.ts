/** Facts for the command line: asked of an engine in this process, or over the owner's socket as one question. Source: docs/inspect.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { DecisionsPart, Engine, EventsPart, Explanation, RunFacts, Sequence } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { type Given, needed } from './given.ts'

/** The facts of the engine, later. @throws TroupeError as `Facts` */
export interface FactDoor {
  run(key: RunKey, at?: number): Promise<RunFacts>
  events(key: RunKey, after: number): Promise<EventsPart>
  explain(key: RunKey, step?: string): Promise<Explanation>
  explainDefinition(fileName: string): Promise<Explanation>
  sequence(key: RunKey): Promise<Sequence>
  decisions(options: {
    fileName?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<DecisionsPart>
}

/** Whatever fits in an answer: who wants more comes back. */
const EVENTS_AT_A_TIME = 5_000
const MESSAGES = 5_000

export const factDoorOf = ({ facts }: Engine): FactDoor => ({
  run: async (key, at) => facts.run(key, { at }),
  events: async (key, after) => facts.events(key, { after, limit: EVENTS_AT_A_TIME, causes: true }),
  explain: async (key, step) => facts.explain(key, step),
  explainDefinition: async (fileName) => facts.explainDefinition(fileName),
  sequence: async (key) => facts.sequence(key, { limit: MESSAGES }),
  decisions: async (options) => facts.decisions(options)
})

/** @throws TroupeError bad_request for a question that is none, and as `FactDoor` */
export async function answerTo(given: Given, facts: FactDoor): Promise<unknown> {
  const what = needed(given, 'ask')
  if (what === 'explainDefinition') return facts.explainDefinition(needed(given, 'fileName'))
  const number = (field: string) => {
    const text = given.text(field)
    return text === undefined ? undefined : Number(text)
  }
  if (what === 'decisions')
    return facts.decisions({
      fileName: given.text('fileName'),
      before: number('before'),
      limit: Number(needed(given, 'limit'))
    })
  const key = { name: needed(given, 'name'), dagRunId: needed(given, 'dagRunId') }
  if (what === 'run') return facts.run(key, number('at'))
  if (what === 'events') return facts.events(key, number('after') ?? 0)
  if (what === 'explain') return facts.explain(key, given.text('step'))
  if (what === 'sequence') return facts.sequence(key)
  throw new TroupeError(
    'bad_request',
    `ask: wanted run, events, explain, explainDefinition, sequence or decisions, found ${JSON.stringify(what)}`
  )
}
