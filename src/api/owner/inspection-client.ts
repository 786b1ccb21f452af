/** Inspection for the command line: of an engine in this process, or as one request over the owner's socket. Source: docs/inspect.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { DecisionsPart, Engine, EventsPart, Explanation, RunFacts, Sequence } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { type Input, required } from './input.ts'

/** `Facts` of the engine, asynchronous. @throws TroupeError as `Facts` */
export interface InspectionClient {
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

/** As many as fit in an answer: a client that wants more asks again. */
const EVENTS_AT_A_TIME = 5_000
const MESSAGES = 5_000

export const inspectionClientOf = ({ facts }: Engine): InspectionClient => ({
  run: async (key, at) => facts.run(key, { at }),
  events: async (key, after) => facts.events(key, { after, limit: EVENTS_AT_A_TIME, causes: true }),
  explain: async (key, step) => facts.explain(key, step),
  explainDefinition: async (fileName) => facts.explainDefinition(fileName),
  sequence: async (key) => facts.sequence(key, { limit: MESSAGES }),
  decisions: async (options) => facts.decisions(options)
})

/** @throws TroupeError bad_request for an unknown question, and as `InspectionClient` */
export async function answerTo(input: Input, facts: InspectionClient): Promise<unknown> {
  const what = required(input, 'ask')
  if (what === 'explainDefinition') return facts.explainDefinition(required(input, 'fileName'))
  const number = (field: string) => {
    const text = input.text(field)
    return text === undefined ? undefined : Number(text)
  }
  if (what === 'decisions')
    return facts.decisions({
      fileName: input.text('fileName'),
      before: number('before'),
      limit: Number(required(input, 'limit'))
    })
  const key = { name: required(input, 'name'), dagRunId: required(input, 'dagRunId') }
  if (what === 'run') return facts.run(key, number('at'))
  if (what === 'events') return facts.events(key, number('after') ?? 0)
  if (what === 'explain') return facts.explain(key, input.text('step'))
  if (what === 'sequence') return facts.sequence(key)
  throw new TroupeError(
    'bad_request',
    `ask: wanted run, events, explain, explainDefinition, sequence or decisions, found ${JSON.stringify(what)}`
  )
}
