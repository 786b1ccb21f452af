/** `.../log/merged`: the output of several steps of a run, both streams, by time. An addition: docs/http-api.md. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine, RunView } from '../../engine/engine.ts'
import { atAttempt } from '../../engine/views/at-attempt.ts'
import { TroupeError } from '../../errors.ts'
import { lineText, type MergedSource, mergedLines } from '../../platform/merged-lines.ts'
import type { Shape } from '../../schema/schema.ts'
import { refuseUnreadable } from '../../store/damage/unreadable.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { MergedLog } from '../contract/run-shapes.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { hold } from '../rules/held-bytes.ts'
import { timeTextOf } from '../shapes/time-text.ts'
import { HANDLERS } from './logs.ts'
import { subRunOf } from './sub-runs.ts'

const STREAMS = ['stdout', 'stderr'] as const
const DEFAULT_LINES = 1_000
const MOST_LINES = 10_000
const MOST_BYTES = 4 * 1024 * 1024

export function mergedLogRoutes(router: Router, engine: Engine): void {
  const { logCharset: charset } = engine.config
  const timeText = timeTextOf(engine.config)

  router.get('/dag-runs/:name/:dagRunId/log/merged', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    const { attempt: wanted } = readQuery(ctx, OPERATIONS.getMergedLog.query)
    const attempt = wantedNumber(wanted) ?? view.run.attempt
    ctx.body = await merged(atAttempt(view, attempt), ctx, attempt)
  })

  router.get('/dag-runs/:name/:dagRunId/sub-dag-runs/:subDAGRunId/log/merged', async (ctx) => {
    const view = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
    ctx.body = await merged(view, ctx, view.run.attempt)
  })

  /** @param attempt the one that the view shows */
  async function merged(view: RunView, ctx: ParameterizedContext, attempt: number): Promise<Shape<typeof MergedLog>> {
    const { step, stream, since, limit, cursor } = readQuery(ctx, OPERATIONS.getMergedLog.query)
    const offsets = offsetsIn(cursor, attempt)
    const { sources, places } = sourcesOf(view, step, stream ? [stream] : STREAMS, offsets)
    const most = Math.min(wantedNumber(limit) ?? DEFAULT_LINES, MOST_LINES)
    hold(ctx, 'answer', MOST_BYTES)
    const lines: Shape<typeof MergedLog>['lines'] = []
    let bytes = 0
    let hasMore = false
    for await (const part of mergedLines(sources, since === undefined || since < 1 ? undefined : since)) {
      const place = places[part.source]
      for (const { second, bytes: own, end } of place ? part.lines : []) {
        hasMore = lines.length === most || bytes + own.length > MOST_BYTES
        if (hasMore || !place) break
        const at = timeText(second === undefined ? undefined : second * 1000)
        lines.push({ step: place.step, stream: place.stream, at, text: lineText(own, charset) })
        bytes += own.length
        offsets[place.index] = end
      }
      if (hasMore) break
    }
    return { lines, cursor: cursorOf(attempt, offsets), hasMore }
  }
}

/** A log of a step; its index among all logs of the run is its place in a cursor. */
interface Place {
  step: string
  stream: (typeof STREAMS)[number]
  index: number
}

/** @throws TroupeError not_found for a step that the run does not have */
function sourcesOf(
  view: RunView,
  wanted: readonly string[],
  streams: readonly Place['stream'][],
  offsets: readonly number[]
): { sources: MergedSource[]; places: Place[] } {
  const { run } = view
  const handlers = HANDLERS.map((name) => ({ name, view: view.handlers[name] }))
  const all = [...view.nodes.map((node) => ({ name: node.step.name, view: node })), ...handlers]
  const unknown = wanted.find((name) => !all.some((one) => one.name === name && one.view))
  if (unknown !== undefined)
    throw new TroupeError('not_found', `run ${run.dagRunId} of ${run.name} has no such step: ${unknown}`)
  const sources: MergedSource[] = []
  const places: Place[] = []
  for (const [at, { name, view: node }] of all.entries()) {
    if (!node || (wanted.length > 0 && !wanted.includes(name))) continue
    if (wanted.length > 0) refuseUnreadable(run, node.node)
    const { startedAt, finishedAt } = node.node
    for (const stream of streams) {
      const path = node.node[stream]
      // What a calling step writes to stdout is a report for the next step.
      if (!path || (stream === 'stdout' && node.step.call !== undefined)) continue
      const index = 2 * at + STREAMS.indexOf(stream)
      places.push({ step: name, stream, index })
      sources.push({ path, startedAt, from: offsets[index] ?? 0, isDone: finishedAt !== undefined })
    }
  }
  return { sources, places }
}

// D1252: a cursor of merged logs is how far each log has been read
/** How far each log has been read; another attempt has other logs. */
function offsetsIn(cursor: string | undefined, attempt: number): number[] {
  const [of = '', ...offsets] = (cursor ?? '').split(/[.-]/)
  return Number(of) === attempt ? offsets.map((text) => Number.parseInt(text || '0', 36)) : []
}

function cursorOf(attempt: number, offsets: readonly number[]): string {
  const texts = Array.from(offsets, (offset) => (offset ? offset.toString(36) : ''))
  return `${attempt}.${texts.join('-')}`
}
