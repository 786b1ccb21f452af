/** `/machines...`, `actors`, `journal`, `explain`, `sequence` of runs, decisions of the scheduler. Source: docs/inspect.md. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { machineConfig, stateDiagram } from '../../inspect/exports.ts'
import { seenDecisions, seenReasons } from '../access/seen.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import {
  actorsShape,
  decisionsShape,
  eventsShape,
  explainShape,
  sequenceShape,
  statechartShape
} from '../shapes/fact-shapes.ts'
import { timeTextOf } from '../shapes/time-text.ts'

const { getMachine, getActors, getJournal, getStatechart, explainRun, getSequence, listDagDecisions, listDecisions } =
  OPERATIONS
const { previewEvent } = OPERATIONS

export function factRoutes(router: Router, { facts, config, definition }: Engine): void {
  const time = timeTextOf(config)
  const keyOf = ({
    params: { name = '', dagRunId = '' }
  }: ParameterizedContext & { params: Record<string, string> }) => ({ name, dagRunId })

  router.get('/machines', (ctx) => {
    ctx.body = { machines: facts.charts() }
  })

  router.get('/machines/:machineId', (ctx) => {
    const { format } = readQuery(ctx, getMachine.query)
    const chart = facts.chart(ctx.params.machineId ?? '')
    if (format === 'mermaid') asText(ctx, stateDiagram(chart))
    else ctx.body = format === 'stately' ? machineConfig(chart) : chart
  })

  router.get('/dag-runs/:name/:dagRunId/actors', (ctx) => {
    const query = readQuery(ctx, getActors.query)
    ctx.body = actorsShape(facts.run(keyOf(ctx), query), time)
  })

  router.get('/dag-runs/:name/:dagRunId/preview', (ctx) => {
    const { actor, event, at } = readQuery(ctx, previewEvent.query)
    ctx.body = facts.preview(keyOf(ctx), actor, eventIn(event), { at })
  })

  router.get('/dag-runs/:name/:dagRunId/statechart', (ctx) => {
    const { format } = readQuery(ctx, getStatechart.query)
    const found = facts.run(keyOf(ctx))
    const [own] = found.actors
    if (format === 'mermaid') asText(ctx, stateDiagram(facts.chart('run'), own?.states))
    else {
      const machines = new Set(found.actors.map(({ machine }) => machine))
      ctx.body = statechartShape(found, Array.from(machines, facts.chart), time)
    }
  })

  router.get('/dag-runs/:name/:dagRunId/journal', (ctx) => {
    const { after = 0, limit, causes } = readQuery(ctx, getJournal.query)
    ctx.body = eventsShape(
      facts.events(keyOf(ctx), { after: Math.max(0, after), limit: wantedNumber(limit), causes }),
      time
    )
  })

  router.get('/dag-runs/:name/:dagRunId/explain', async (ctx) => {
    const { step } = readQuery(ctx, explainRun.query)
    ctx.body = explainShape(await seenReasons(ctx, facts.explain(keyOf(ctx), step)), time)
  })

  router.get('/dags/:fileName/explain', async (ctx) => {
    const found = facts.explainDefinition(ctx.params.fileName ?? '')
    ctx.body = explainShape(await seenReasons(ctx, found), time)
  })

  router.get('/dags/:fileName/decisions', (ctx) => {
    const query = readQuery(ctx, listDagDecisions.query)
    const { fileName } = definition(ctx.params.fileName ?? '')
    ctx.body = decisionsShape(facts.decisions({ ...query, limit: wantedNumber(query.limit), fileName }), time)
  })

  router.get('/services/scheduler/decisions', async (ctx) => {
    const query = readQuery(ctx, listDecisions.query)
    const fileName = query.fileName || undefined
    const part = facts.decisions({ ...query, limit: wantedNumber(query.limit), fileName })
    ctx.body = decisionsShape(await seenDecisions(ctx, part), time)
  })

  router.get('/dag-runs/:name/:dagRunId/sequence', (ctx) => {
    const { format, after = 0, limit } = readQuery(ctx, getSequence.query)
    const sequence = facts.sequence(keyOf(ctx), { after: Math.max(0, after), limit: wantedNumber(limit) })
    if (format === 'mermaid') asText(ctx, sequence.mermaid)
    else ctx.body = sequenceShape(sequence, time)
  })
}

/** @param input its type, or JSON of it @throws TroupeError bad_request */
function eventIn(input: string): { type: string } {
  if (!input.startsWith('{')) return { type: input }
  const problem = "query parameter 'event': wanted a type, or a JSON object with the member type"
  let event: unknown
  try {
    event = JSON.parse(input)
  } catch {
    throw new TroupeError('bad_request', problem)
  }
  const { type }: { type?: unknown } = Object(event)
  if (typeof type !== 'string') throw new TroupeError('bad_request', problem)
  return { ...Object(event), type }
}

function asText(ctx: ParameterizedContext, text: string): void {
  ctx.body = text
  ctx.type = 'text/plain; charset=utf-8'
}
