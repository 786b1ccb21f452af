/** `troupe inspect`: the charts, one of them, or what every actor of a run is doing. Source: docs/inspect.md. */
import { actorsShape } from '../api/fact-shapes.ts'
import { timeTextIn } from '../api/time-text.ts'
import { TroupeError } from '../errors.ts'
import { chart, charts, machineConfig, stateDiagram } from '../inspect/exports.ts'
import type { Arguments, CommandRoom } from './commands.ts'
import { lookAt } from './looked-at.ts'
import type { Output } from './surroundings.ts'
import { actorLines, chartLines } from './view/facts.ts'
import { padded } from './view/text.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  if (args.operand !== '')
    return lookAt(args, surroundings, async ({ door, key, paint, tz, write }) => {
      const facts = await door.facts.run(key)
      write(actorsShape(facts, timeTextIn(tz)), () => actorLines(facts, paint, tz))
    })
  if (!args.on.has('quiet')) showChart(args, surroundings.out)
  return 0
}

const FORMATS = ['text', 'json', 'mermaid', 'stately']

/** No engine is asked: the charts are part of the program. */
function showChart({ text, on }: Arguments, out: Output): void {
  const { machine, format = on.has('json') ? 'json' : 'text' } = text
  if (!FORMATS.includes(format))
    throw new TroupeError('bad_request', `--format: wanted ${FORMATS.join(', ')}, found ${JSON.stringify(format)}`)
  if (machine === undefined) {
    const all = charts()
    const width = Math.max(...all.map(({ id }) => id.length))
    const lines = all.map(({ id, description }) => `${padded(id, width)}  ${description}\n`)
    out.write(format === 'text' ? lines.join('') : `${JSON.stringify({ machines: all })}\n`)
    return
  }
  const found = chart(machine)
  if (!found)
    throw new TroupeError(
      'not_found',
      `--machine: wanted ${charts()
        .map(({ id }) => id)
        .join(', ')}, found ${JSON.stringify(machine)}`
    )
  if (format === 'mermaid') out.write(stateDiagram(found))
  else if (format === 'text') out.write(`${chartLines(found).join('\n')}\n`)
  else out.write(`${JSON.stringify(format === 'json' ? found : machineConfig(found))}\n`)
}
