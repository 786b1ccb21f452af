/** `troupe inspect`: the charts, one of them, or the state of every actor of a run. Source: docs/inspect.md, api-semantics 11. */
import type { Chart } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import { stateDiagram } from '../../../inspect/exports.ts'
import { didYouMean } from '../../../nearest.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { keyOf } from '../../input/requested-run.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { actorLines, chartLines } from '../../view/inspection.ts'
import { padded } from '../../view/text.ts'
import { type Charts, chartsOf } from './charts.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const format = formatOf(args)
  if (args.operand !== '') return showRun(args, context, format)
  if (!args.on.has('quiet')) context.out.write(await chartText(await chartsOf(context), args.text.machine, format))
  return 0
}

/** The formats of each subject. */
const FORMATS = {
  'a run': ['text', 'json', 'mermaid'],
  'a chart': ['text', 'json', 'mermaid', 'stately'],
  'the list of charts': ['text', 'json']
}

/** @throws TroupeError bad_request for flags that do not go together */
function formatOf({ operand, text, on }: Arguments): string {
  const { machine, 'run-id': id } = text
  if (operand !== '' && machine !== undefined)
    throw refused(`wanted a run or a chart, found ${operand} and --machine ${machine}`)
  if (operand === '' && id !== undefined) throw refused(`wanted RUN beside --run-id ${id}, whose run it is`)
  const wantsJson = on.has('json')
  const { format = wantsJson ? 'json' : 'text' } = text
  const what = operand !== '' ? 'a run' : machine === undefined ? 'the list of charts' : 'a chart'
  if (!FORMATS[what].includes(format)) {
    const hint =
      FORMATS['a chart'].includes(format) && what === 'the list of charts' ? '; --machine names one of them' : ''
    throw refused(`--format: wanted ${FORMATS[what].join(', ')} for ${what}, found ${JSON.stringify(format)}${hint}`)
  }
  if (wantsJson && format !== 'json') throw refused(`wanted --json or --format ${format}, found both`)
  return format
}

const refused = (found: string) => new TroupeError('bad_request', `inspect: ${found}`)

/** The diagram is the chart of runs with the current states of this one. */
function showRun(args: Arguments, context: CliContext, format: string): Promise<number> {
  const on = format === 'json' ? new Set([...args.on, 'json']) : args.on
  return lookAt({ ...args, on }, context, async ({ api, run, paint, tz, write }) => {
    const inspected = await api.getActors({ path: keyOf(await run()) })
    const chart = format === 'mermaid' ? await chartNamed(await chartsOf(context), 'run') : undefined
    write(inspected, () =>
      chart ? [stateDiagram(chart, inspected.actors[0]?.states).trimEnd()] : actorLines(inspected, paint, tz)
    )
  })
}

async function chartText(charts: Charts, machine: string | undefined, format: string): Promise<string> {
  if (machine === undefined) {
    const all = await charts.list()
    if (format === 'json') return `${JSON.stringify({ machines: all })}\n`
    const width = Math.max(...all.map(({ id }) => id.length))
    return all.map(({ id, description }) => `${padded(id, width)}  ${description}\n`).join('')
  }
  const found = await chartNamed(charts, machine)
  if (format === 'mermaid') return stateDiagram(found)
  if (format === 'text') return `${chartLines(found).join('\n')}\n`
  return `${JSON.stringify(format === 'json' ? found : await charts.config(found))}\n`
}

/** @throws TroupeError not_found */
async function chartNamed({ list, one }: Charts, machine: string): Promise<Chart> {
  const found = await one(machine)
  if (found) return found
  const ids = (await list()).map(({ id }) => id)
  const hint = didYouMean(machine, ids)
  throw new TroupeError('not_found', `--machine: wanted ${ids.join(', ')}, found ${JSON.stringify(machine)}${hint}`)
}
