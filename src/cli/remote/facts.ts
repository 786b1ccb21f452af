/** Inspection of a server elsewhere, over its HTTP API. Instants come in epoch ms, so that nothing is lost. Source: docs/inspect.md. */
import type { JournalRecord, RunKey } from '../../../machines/vocabulary.ts'
import type { InspectionClient } from '../../api/owner/inspection-client.ts'
import type { Client, Explanation, JournalEvent, RunFacts } from '../../client/index.ts'

/** As many as one answer has: a client that wants more asks again. */
const EVENTS_AT_A_TIME = 5_000
const MESSAGES = 5_000

type Answered<K extends keyof InspectionClient> = Awaited<ReturnType<InspectionClient[K]>>

export const remoteFacts = (api: Client): InspectionClient => ({
  async run(key, at) {
    const path = { name: key.name, dagRunId: key.dagRunId }
    return factsOf(await api.getActors({ path, ...(at === undefined ? {} : { query: { at } }) }))
  },
  async events({ name, dagRunId }, after) {
    const query = { after, limit: EVENTS_AT_A_TIME, causes: true }
    const part = await api.getJournal({ path: { name, dagRunId }, query })
    return {
      run: { name: part.name, dagRunId: part.dagRunId },
      events: part.events.map(({ causes, ...event }) => ({ record: eventOf(event), ...(causes ? { causes } : {}) })),
      latest: part.latest,
      ...(part.next === null ? {} : { next: part.next })
    }
  },
  explain: async ({ name, dagRunId }, step) =>
    explanationOf(
      await api.explainRun({ path: { name, dagRunId }, ...(step === undefined ? {} : { query: { step } }) })
    ),
  explainDefinition: async (fileName) => explanationOf(await api.explainDag({ path: { fileName } })),
  async sequence({ name, dagRunId }) {
    const found = await api.getSequence({ path: { name, dagRunId }, query: { limit: MESSAGES } })
    const { messages, name: dag, dagRunId: id, ...rest } = found as Exclude<typeof found, string> // no text was asked for
    return {
      ...rest,
      run: { name: dag, dagRunId: id },
      messages: messages.map(({ atMs, ...message }) => ({ ...message, at: atMs }))
    }
  },
  async decisions({ fileName, before, limit }) {
    const { decisions, next } = await api.listDecisions({
      query: { limit, ...(fileName === undefined ? {} : { fileName }), ...(before === undefined ? {} : { before }) }
    })
    return {
      decisions: decisions.map(({ number, slotMs, atMs, ...decision }) => ({
        number,
        decision: { ...decision, slot: slotMs, at: atMs }
      })),
      ...(next === null ? {} : { next })
    } as Answered<'decisions'> // as the engine that decided
  }
})

/** A transition as the engine has it. */
export function eventOf(event: JournalEvent): JournalRecord & { run: RunKey } {
  const { name, dagRunId, at: _at, atMs, status: _status, statusLabel, trigger, ...rest } = event
  return {
    ...rest,
    run: { name, dagRunId },
    at: atMs,
    ...(trigger ? { trigger: slotted(trigger) } : {}),
    ...(statusLabel === undefined ? {} : { status: statusLabel })
  } as JournalRecord & { run: RunKey } // its statuses have the same names
}

const slotted = ({ slot, ...trigger }: { slot?: string }) =>
  slot === undefined ? trigger : { ...trigger, slot: Date.parse(slot) }

function factsOf({ name, dagRunId, event, statusLabel, nodes, actors, at, latest }: RunFacts): Answered<'run'> {
  return {
    run: { name, dagRunId },
    at,
    latest,
    status: statusLabel,
    ...(event ? { event: eventOf(event) } : {}),
    nodes: nodes.map(({ status: _status, statusLabel, startedAtMs, finishedAtMs, exitCode, error, ...node }) => ({
      step: node.step,
      handler: node.handler,
      retryCount: node.retryCount,
      doneCount: node.doneCount,
      status: statusLabel,
      ...(startedAtMs === null ? {} : { startedAt: startedAtMs }),
      ...(finishedAtMs === null ? {} : { finishedAt: finishedAtMs }),
      ...(exitCode === null ? {} : { exitCode }),
      ...(error === '' ? {} : { error })
    })),
    actors: actors.map(({ since: _since, sinceMs, subRuns, ...actor }) => ({
      ...actor,
      since: sinceMs,
      ...(subRuns
        ? {
            subRuns: subRuns.map(({ name, dagRunId, statusLabel }) => ({
              run: { name, dagRunId },
              status: statusLabel
            }))
          }
        : {})
    }))
  } as Answered<'run'> // as the engine has it
}

const explanationOf = ({ subject, reasons }: Explanation): Answered<'explain'> =>
  ({
    subject: 'statusLabel' in subject ? { ...subject, status: subject.statusLabel } : subject,
    reasons: reasons.map(({ since: _since, sinceMs, until: _until, untilMs, ...reason }) => ({
      ...reason,
      ...(sinceMs === null ? {} : { since: sinceMs }),
      ...(untilMs === null ? {} : { until: untilMs })
    }))
  }) as Answered<'explain'> // as the engine has it
