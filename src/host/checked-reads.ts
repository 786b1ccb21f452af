/** Questions to an engine and to its facts: what has another type than they say is refused by name. Source: `RunFilter` in store/parts.ts, inspect/inspection.ts. */
import { RUN_STATUSES, TRIGGER_TYPES } from '../../machines/vocabulary/lists.ts'
import type { Engine, Facts, RunFilter, WaitingFilter } from '../engine/engine.ts'
import { callable, flag, type Kind, listOf, members, mustBe, numeric, only, text, word } from './host-values.ts'

/** Other members are ignored, so that a record of a run can be passed. */
export const run = members({ name: text, dagRunId: text }, ['name', 'dagRunId'])

const status = word(...RUN_STATUSES)
const filter = only('member', {
  name: text,
  nameContains: text,
  status: listOf(status),
  from: numeric,
  to: numeric,
  idContains: text,
  trigger: listOf(word(...TRIGGER_TYPES)),
  byContains: text,
  paramContains: text,
  tags: listOf(text),
  limit: numeric
} satisfies Record<keyof RunFilter, Kind>)

type Options<F extends (...args: never[]) => unknown> = Required<NonNullable<Parameters<F>[1]>>
type Members<O> = Record<keyof O, Kind>
const seen = only('member', { at: numeric, actor: text, brief: flag } satisfies Members<Options<Facts['run']>>)
const part = only('member', { after: numeric, limit: numeric, causes: flag } satisfies Members<
  Options<Facts['events']>
>)
const previewed = only('member', { at: numeric } satisfies Members<{ at: unknown }>)
const messages = only('member', { after: numeric, limit: numeric } satisfies Members<Options<Facts['sequence']>>)
const decided = only('member', { fileName: text, before: numeric, limit: numeric } satisfies Members<
  NonNullable<Parameters<Facts['decisions']>[0]>
>)

const checkedFacts = (facts: Facts): Facts => ({
  ...facts,
  chart(id) {
    mustBe(text, id, 'facts.chart: id')
    return facts.chart(id)
  },
  run(key, options = {}) {
    mustBe(run, key, 'facts.run')
    mustBe(seen, options, 'facts.run')
    return facts.run(key, options)
  },
  preview(key, actor, event, options = {}) {
    mustBe(run, key, 'facts.preview')
    mustBe(text, actor, 'facts.preview: actor')
    mustBe(members({ type: text }, ['type']), event, 'facts.preview: event')
    mustBe(previewed, options, 'facts.preview')
    return facts.preview(key, actor, event, options)
  },
  events(key, options = {}) {
    mustBe(run, key, 'facts.events')
    mustBe(part, options, 'facts.events')
    return facts.events(key, options)
  },
  explain(key, step) {
    mustBe(run, key, 'facts.explain')
    if (step !== undefined) mustBe(text, step, 'facts.explain: step')
    return facts.explain(key, step)
  },
  explainDefinition(fileName) {
    mustBe(text, fileName, 'facts.explainDefinition: fileName')
    return facts.explainDefinition(fileName)
  },
  decisions(options = {}) {
    mustBe(decided, options, 'facts.decisions')
    return facts.decisions(options)
  },
  sequence(key, options = {}) {
    mustBe(run, key, 'facts.sequence')
    mustBe(messages, options, 'facts.sequence')
    return facts.sequence(key, options)
  }
})

const waits = only('member', { dag: text, step: text } satisfies Record<keyof WaitingFilter, Kind>)

type Reads =
  | 'waiting'
  | 'waitingPart'
  | 'facts'
  | 'inspect'
  | 'run'
  | 'record'
  | 'subRun'
  | 'subRuns'
  | 'runs'
  | 'runsPart'
  | 'runSpec'
  | 'journal'
  | 'latest'

export function checkedReads(engine: Engine): Pick<Engine, Reads> {
  const facts = checkedFacts(engine.facts)
  return {
    facts,
    inspect: facts.run,
    run(key) {
      mustBe(run, key, 'run')
      return engine.run(key)
    },
    record(key) {
      mustBe(run, key, 'record')
      return engine.record(key)
    },
    subRun(root, subRunId) {
      mustBe(run, root, 'subRun')
      mustBe(text, subRunId, 'subRun: subRunId')
      return engine.subRun(root, subRunId)
    },
    subRuns(root) {
      mustBe(run, root, 'subRuns')
      return engine.subRuns(root)
    },
    runs(input = {}) {
      mustBe(filter, input, 'runs')
      return engine.runs(input)
    },
    runsPart(input, after, isEnough) {
      mustBe(filter, input, 'runsPart')
      mustBe(callable, isEnough, 'runsPart: isEnough')
      return engine.runsPart(input, after, isEnough)
    },
    runSpec(key) {
      mustBe(run, key, 'runSpec')
      return engine.runSpec(key)
    },
    journal(key, after, limit) {
      mustBe(run, key, 'journal')
      mustBe(members({ after: numeric, limit: numeric }, ['after', 'limit']), { after, limit }, 'journal')
      return engine.journal(key, after, limit)
    },
    waiting(input = {}) {
      mustBe(waits, input, 'waiting')
      return engine.waiting(input)
    },
    waitingPart(input, limit, after) {
      mustBe(waits, input, 'waitingPart')
      mustBe(members({ limit: numeric, after: text }, ['limit']), { limit, after }, 'waitingPart')
      return engine.waitingPart(input, limit, after)
    },
    latest(name) {
      mustBe(text, name, 'latest: name')
      return engine.latest(name)
    }
  }
}
