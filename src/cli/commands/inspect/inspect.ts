/** `troupe inspect`: the charts, one of them, or the state of every actor of a run. Source: docs/inspect.md, api-semantics 11. */
import { actorsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import { TroupeError } from '../../../errors.ts'
import { chart, charts, machineConfig, stateDiagram } from '../../../inspect/exports.ts'
import { didYouMean } from '../../../nearest.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { actorLines, chartLines } from '../../view/inspection.ts'
import { padded } from '../../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const format = formatOf(args)
  if (args.operand !== '') return showRun(args, context, format)
  if (!args.on.has('quiet')) context.out.write(chartText(args.text.machine, format))
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
  if (operand === '' && id !== undefined) throw refused(`wanted FILE|NAME beside --run-id ${id}, whose run it is`)
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
  return lookAt({ ...args, on }, context, async ({ client, key, paint, tz, write }) => {
    const inspected = await client.facts.run(key)
    const diagram = () => stateDiagram(chartOf('run'), inspected.actors[0]?.states).trimEnd()
    write(actorsShape(inspected, timeTextIn(tz)), () =>
      format === 'mermaid' ? [diagram()] : actorLines(inspected, paint, tz)
    )
  })
}

/** Needs no engine: the charts are part of the program. */
function chartText(machine: string | undefined, format: string): string {
  if (machine === undefined) {
    const all = charts()
    if (format === 'json') return `${JSON.stringify({ machines: all })}\n`
    const width = Math.max(...all.map(({ id }) => id.length))
    return all.map(({ id, description }) => `${padded(id, width)}  ${description}\n`).join('')
  }
  const found = chartOf(machine)
  if (format === 'mermaid') return stateDiagram(found)
  if (format === 'text') return `${chartLines(found).join('\n')}\n`
  return `${JSON.stringify(format === 'json' ? found : machineConfig(found))}\n`
}

/** @throws TroupeError not_found */
function chartOf(machine: string) {
  const found = chart(machine)
  if (found) return found
  const ids = charts().map(({ id }) => id)
  const hint = didYouMean(machine, ids)
  throw new TroupeError('not_found', `--machine: wanted ${ids.join(', ')}, found ${JSON.stringify(machine)}${hint}`)
}
