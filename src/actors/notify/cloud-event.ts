/** An event as it is delivered: CloudEvents 1.0, structured JSON. Source: docs/notifications.md "What is sent". */
import type { Notice } from '../../../machines/policy/notices.ts'
import type { NodeRecord, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { placeOfStep, type SpanPlace, variablesFor } from '../../tracing/context.ts'

/** The members that all events of an engine have. */
export interface Sender {
  /** URI of the engine. */
  source: string
  /** Address of its page, without a trailing slash; absent: it is not known. */
  address?: string
}

/** A transition of a run, with what is known of it then. */
export interface RunNews {
  record: RunRecord
  /** The definition of the run; absent: it is not known any more. */
  plan?: { group: string; tags: string[]; steps: readonly Step[] } | undefined
  node?: NodeRecord | undefined
  /** Steps and handlers that have failed so far, of a run that has ended. */
  failed?: readonly NodeRecord[] | undefined
  trace?: SpanPlace | undefined
  mask(text: string): string
}

export interface EventHead {
  /** Id in each attempt, and for each target. */
  id: string
  notice: Notice
  /** Epoch ms. */
  at: number
}

/** Longest text of an error, in characters: an event is no log. */
const MOST_CHARACTERS = 4_000
const MOST_STEPS = 20

// D1516: events have the words of the API; sub DAG runs and params are told on request
export function runEvent(head: EventHead, sender: Sender, news: RunNews, withParams: boolean): string {
  const { record, plan, node, trace, mask, failed = [] } = news
  const { name, dagRunId, caller, trigger, stoppedBy } = record
  // A handler has no span of its own.
  const isStep = plan?.steps.some(({ name }) => name === node?.step)
  const place = trace && node && isStep ? placeOfStep(trace, node.step) : trace
  return eventText(head, sender, {
    subject: [name, dagRunId, ...(node ? [node.step] : [])].map(encodeURIComponent).join('/'),
    ...(place ? { traceparent: variablesFor(place).TRACEPARENT } : {}),
    data: {
      name,
      dagRunId,
      status: record.status,
      attempt: record.attempt,
      ...(plan && plan.group !== '' ? { group: plan.group } : {}),
      ...(plan && plan.tags.length > 0 ? { tags: plan.tags } : {}),
      ...(caller ? { root: { name: caller.root.name, dagRunId: caller.root.dagRunId } } : {}),
      ...(trigger ? { trigger: { type: trigger.type, ...(trigger.by ? { by: trigger.by } : {}) } } : {}),
      ...(stoppedBy ? { stoppedBy: { type: stoppedBy.type, ...(stoppedBy.by ? { by: stoppedBy.by } : {}) } } : {}),
      ...(record.placement ? { worker: record.placement.id } : {}),
      createdAt: timeText(record.createdAt),
      ...timesOf(record),
      ...(record.error === undefined ? {} : { error: shortened(mask(record.error)) }),
      ...(withParams ? { params: record.params.map(({ name, value }) => ({ name, value: mask(value) })) } : {}),
      ...(failed.length > 0
        ? { failedSteps: failed.slice(0, MOST_STEPS).map((node) => stepOf(node, plan?.steps, mask)) }
        : {}),
      ...(node ? { step: stepOf(node, plan?.steps, mask) } : {}),
      ...(sender.address === undefined ? {} : { url: pageOf(sender.address, record) })
    }
  })
}

export const workerEvent = (head: EventHead, sender: Sender, worker: { id: string; runs: number }): string =>
  eventText(head, sender, {
    subject: encodeURIComponent(worker.id),
    data: {
      worker: worker.id,
      runs: worker.runs,
      ...(sender.address === undefined ? {} : { url: `${sender.address}/#/workers` })
    }
  })

const eventText = (
  { id, notice, at }: EventHead,
  { source }: Sender,
  { subject, data, ...extensions }: { subject: string; data: object; traceparent?: string | undefined }
): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source,
    type: `troupe.${notice}.v1`,
    subject,
    time: timeText(at),
    datacontenttype: 'application/json',
    ...extensions,
    data
  })

const stepOf = (node: NodeRecord, steps: readonly Step[] | undefined, mask: (text: string) => string) => {
  const type = steps?.find(({ name }) => name === node.step)?.executor.type
  return {
    name: node.step,
    status: node.status,
    ...(type === undefined || type === '' ? {} : { type }),
    retryCount: node.retryCount,
    ...timesOf(node),
    ...(node.error === undefined ? {} : { error: shortened(mask(node.error)) })
  }
}

const timesOf = ({ startedAt, finishedAt }: { startedAt?: number; finishedAt?: number }) => ({
  ...(startedAt === undefined ? {} : { startedAt: timeText(startedAt) }),
  ...(finishedAt === undefined ? {} : { finishedAt: timeText(finishedAt) })
})

/** A sub DAG run is shown below its root run. */
const pageOf = (address: string, { name, dagRunId, caller }: RunRecord): string => {
  const shown = caller?.root ?? { name, dagRunId }
  return `${address}/#/runs/${encodeURIComponent(shown.name)}/${encodeURIComponent(shown.dagRunId)}`
}

const timeText = (at: number): string => new Date(at).toISOString()
const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text
