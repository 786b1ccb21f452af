/** The thread of `text-thread.ts`: reads a definition, or checks params against a schema. */
import { serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { Step } from '../../machines/vocabulary.ts'
import { paramSchema, payloadSchema } from '../definition/dag/param-schema.ts'
import { readDefinition } from '../definition/read.ts'
import { messageOf } from '../errors.ts'
import { stepAside } from '../executors/frame/step-aside.ts'
import type { ReadText, TextWork } from './text-thread.ts'

/** Steps per part of an answer: a few milliseconds for the receiver. */
const PART = 250

function readText({ text, options }: Extract<TextWork, { do: 'read' }>): ReadText {
  const { plan, outline, ...rest } = readDefinition(text, options)
  const parts: Uint8Array[] = []
  const without = <T extends { steps: Step[] }>(of: T): T & { first: number; count: number } => {
    const first = parts.length
    for (let at = 0; at < of.steps.length; at += PART) parts.push(serialize(of.steps.slice(at, at + PART)))
    return { ...of, steps: [], first, count: parts.length - first }
  }
  const shell = plan
    ? { plan: { ...without(plan), locals: plan.locals.map(without) }, outline: { ...outline, steps: [] } }
    : { outline: without(outline) }
  return { shell: serialize({ ...rest, ...shell }), parts }
}

stepAside()

parentPort?.on('message', (work: TextWork) => {
  const result = answerTo(work)
  parentPort?.postMessage({ result })
})

function answerTo(work: TextWork) {
  switch (work.do) {
    case 'read':
      return readText(work)
    case 'fit':
      return orRefused(() => paramSchema(work.schema)(work.params))
    case 'payload':
      return orRefused(() => payloadSchema(work.schema)(work.payload))
    case 'schemas':
      return unusableIn(work.schemas)
  }
}

/** Time of all texts together, which is that of a few. */
const ALL_MS = 10_000

function unusableIn(schemas: string[]): string[] {
  const begun = performance.now()
  return schemas.map((schema) => {
    if (performance.now() - begun > ALL_MS) return 'the schemas of the definition ask for too much work'
    const found = orRefused(() => payloadSchema(schema))
    return 'refused' in found ? found.refused : ''
  })
}

/** An error of the schema is an ordinary answer: a thread that throws is lost. */
function orRefused<T>(work: () => T): { fitted: T } | { refused: string } {
  try {
    return { fitted: work() }
  } catch (error) {
    return { refused: messageOf(error) }
  }
}
