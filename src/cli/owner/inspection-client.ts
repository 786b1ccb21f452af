/** The facts of the engine that owns the home, asked over its socket: texts only. Source: docs/inspect.md. */
import type { InspectionClient } from '../../api/owner/inspection-client.ts'

/** @param ask gets the answer of `answerTo` to a question */
export const inspectionClient = (ask: <T>(question: Record<string, string>) => Promise<T>): InspectionClient => ({
  run: (key, at) => ask({ ask: 'run', ...key, ...(at === undefined ? {} : { at: String(at) }) }),
  events: (key, after) => ask({ ask: 'events', ...key, after: String(after) }),
  explain: (key, step) => ask({ ask: 'explain', ...key, ...(step === undefined ? {} : { step }) }),
  explainDefinition: (fileName) => ask({ ask: 'explainDefinition', fileName }),
  sequence: (key) => ask({ ask: 'sequence', ...key }),
  decisions: ({ fileName, before, limit }) =>
    ask({
      ask: 'decisions',
      ...(fileName === undefined ? {} : { fileName }),
      ...(before === undefined ? {} : { before: String(before) }),
      limit: String(limit)
    })
})
