/** `/machines...`, and of runs `actors`, `journal`, `explain` and `sequence`: what can be known. Source: docs/inspect.md; our addition. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine } from '../../engine.ts'
import { TroupeError } from '../../errors.ts'
import { machineConfig, stateDiagram } from '../../inspect/exports.ts'
import { actorsShape, eventsShape, explainShape, sequenceShape } from '../fact-shapes.ts'
import { readQuery } from '../query.ts'
import { timeTextIn } from '../time-text.ts'

export function factRoutes(router: Router, { facts, config }: Engine): void {
  const time = timeTextIn(config.tz)
  const keyOf = ({
    params: { name = '', dagRunId = '' }
  }: ParameterizedContext & { params: Record<string, string> }) => ({ name, dagRunId })

  router.get('/machines', (ctx) => {
    ctx.body = { machines: facts.charts() }
  })

  router.get('/machines/:machineId', (ctx) => {
    const format = formatOf(ctx, ['json', 'mermaid', 'stately'])
    const chart = facts.chart(ctx.params.machineId ?? '')
    if (format === 'mermaid') asText(ctx, stateDiagram(chart))
    else ctx.body = format === 'stately' ? machineConfig(chart) : chart
  })

  router.get('/dag-runs/:name/:dagRunId/actors', (ctx) => {
    const query = readQuery(ctx, { at: 'integer', actor: 'text', brief: 'flag' })
    ctx.body = actorsShape(facts.run(keyOf(ctx), query), time)
  })

  router.get('/dag-runs/:name/:dagRunId/journal', (ctx) => {
    const { after = 0, limit, causes } = readQuery(ctx, { after: 'integer', limit: 'integer', causes: 'flag' })
    ctx.body = eventsShape(facts.events(keyOf(ctx), { after: Math.max(0, after), limit, causes }), time)
  })

  router.get('/dag-runs/:name/:dagRunId/explain', (ctx) => {
    const { step } = readQuery(ctx, { step: 'text' })
    ctx.body = explainShape(facts.explain(keyOf(ctx), step), time)
  })

  router.get('/dags/:fileName/explain', (ctx) => {
    ctx.body = explainShape(facts.explainDefinition(ctx.params.fileName ?? ''), time)
  })

  router.get('/dag-runs/:name/:dagRunId/sequence', (ctx) => {
    const format = formatOf(ctx, ['json', 'mermaid'])
    const { limit } = readQuery(ctx, { limit: 'integer' })
    const sequence = facts.sequence(keyOf(ctx), { limit })
    if (format === 'mermaid') asText(ctx, sequence.mermaid)
    else ctx.body = sequenceShape(sequence, time)
  })
}

/** The first of `formats` unless another is asked for. @throws TroupeError bad_request */
function formatOf(ctx: ParameterizedContext, formats: readonly string[]): string {
  const { format = formats[0] ?? '' } = readQuery(ctx, { format: 'text' })
  if (formats.includes(format)) return format
  throw new TroupeError(
    'bad_request',
    `query parameter 'format': wanted ${formats.join(' or ')}, found ${JSON.stringify(format.slice(0, 40))}`
  )
}

function asText(ctx: ParameterizedContext, text: string): void {
  ctx.body = text
  ctx.type = 'text/plain; charset=utf-8'
}
