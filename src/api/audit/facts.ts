/** What a change is about, before and after it: texts by their hash and what is different in them, flags, statuses. */
import type { Audit, Engine } from '../../engine/engine.ts'
import type { Need } from '../contract/needs.ts'
import type { Operation } from './state.ts'

type Facts = Record<string, unknown>
type Asked = Readonly<Record<string, unknown>>

/** What was there. The text is for the difference only. */
export interface Before {
  facts: Facts
  text?: string
  suspended?: Facts
}

/** Members of the body with the text of a definition or the output of a step, which are named by their hash. */
const TEXTS = new Set(['spec', 'output'])
/** Members of an answer that are noted besides the run that it names. */
const OF_ANSWER = ['dagRunId', 'queued', 'publicKey'] as const
/** Members of a body that name the definition there is afterwards. */
const NEW_NAMES = ['newFileName', 'name'] as const

/** Asked for with each change: an import takes longer than what it is for. */
let loaded: Promise<typeof import('../../audit/bounded.ts')> | undefined
function bounds() {
  loaded ??= import('../../audit/bounded.ts')
  return loaded
}

// D1460: texts are masked by the names in them, and bounded
export function factsBefore(engine: Engine, { id, params, needs }: Operation): Before {
  const { fileName, name, dagRunId } = params
  if (fileName !== undefined && id === 'suspendDag') return { facts: {}, suspended: suspendedOf(engine, fileName) }
  if (fileName !== undefined && needs.some(isWrite)) {
    const text = textOf(engine, fileName)
    // The action of version 1 is not known yet.
    const flag = needs.length > 1 ? { suspended: suspendedOf(engine, fileName) } : {}
    return { facts: {}, ...flag, ...(text === undefined ? {} : { text }) }
  }
  if (name !== undefined && dagRunId !== undefined) return { facts: runFacts(engine, params) }
  return { facts: {} }
}

export async function factsAfter(
  engine: Engine,
  audit: Audit,
  { operation: { id, params, needs }, asked }: { operation: Operation; asked: Asked },
  { before, answer }: { before: Before; answer: Facts }
): Promise<{ before: Facts; after: Facts }> {
  const { digestOf, shownValue } = await bounds()
  const { fileName, name, dagRunId } = params
  const shown = Object.entries(asked).map(([field, value]) => [
    field,
    TEXTS.has(field) && typeof value === 'string' ? digestOf(value) : value
  ])
  const after: Facts = shown.length > 0 ? { asked: shownValue(Object.fromEntries(shown), audit.mask) } : {}
  for (const member of OF_ANSWER) if (answer[member] !== undefined) after[member] = answer[member]
  if (id === 'suspendDag' && fileName !== undefined)
    return { before: before.suspended ?? {}, after: { ...after, ...suspendedOf(engine, fileName) } }
  if (needs.some((need) => isWrite(need) && need.role === 'editor')) {
    const now = id === 'deleteDag' ? undefined : textOf(engine, nameIn(asked) ?? fileName)
    const was = before.text
    const text = (one: string | undefined) => (one === undefined ? {} : { text: digestOf(one) })
    const diff =
      now === undefined || now === was
        ? undefined
        : (await import('../../audit/text-diff.ts')).textDiff(was ?? '', now, audit.mask)
    return {
      before: { ...before.facts, ...text(was) },
      after: { ...after, ...text(now), ...(diff === undefined ? {} : { diff }) }
    }
  }
  if (name !== undefined && dagRunId !== undefined) Object.assign(after, runFacts(engine, params))
  return { before: before.facts, after }
}

const isWrite = ({ permissions: [first] }: Need) => first === 'write'

const nameIn = (asked: Asked): string | undefined =>
  NEW_NAMES.map((member) => asked[member]).find((value): value is string => typeof value === 'string')

function textOf(engine: Engine, fileName: string | undefined): string | undefined {
  if (fileName === undefined) return undefined
  try {
    return engine.spec(fileName)
  } catch {
    return undefined // there is none, or it cannot be read
  }
}

function suspendedOf(engine: Engine, fileName: string): Facts {
  try {
    return { suspended: engine.definition(fileName).suspended }
  } catch {
    return {}
  }
}

/** Facts of the run, or of a step whose status is set. */
function runFacts(engine: Engine, { name = '', dagRunId = '', subDAGRunId, stepName }: Operation['params']): Facts {
  try {
    const key = { name, dagRunId }
    if (stepName === undefined) return statusOf(engine.record(key)?.status)
    const view = subDAGRunId === undefined ? engine.run(key) : engine.subRun(key, subDAGRunId)
    const found = view?.nodes.find(({ step }) => step.name === stepName)
    return { ...statusOf(view?.run.status), ...(found ? { step: found.node.status } : {}) }
  } catch {
    return {} // an entry that cannot be read
  }
}

const statusOf = (status: string | undefined): Facts => (status === undefined ? {} : { status })
