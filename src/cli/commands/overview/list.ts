/** `troupe list`: the definitions of a home, with their last run and their next start. Our addition. */
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { definitionsOf } from '../../owner/known-runs.ts'
import { openToRead } from '../../owner/open-client.ts'
import { paintFor } from '../../view/paint.ts'
import { definitionLines } from '../../view/run-rows.ts'
import { roomIn } from '../../view/table.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const definitions = await definitionsOf(client.api)
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const dags = definitions.map(({ fileName, dag, suspended, errors, latestDAGRun }) => ({
        fileName,
        name: dag.name,
        suspended,
        problems: errors.length,
        tags: dag.tags,
        nextRun: dag.nextRun,
        latestDAGRun: latestDAGRun.dagRunId === '' ? null : latestDAGRun
      }))
      out.write(`${JSON.stringify({ dags })}\n`)
      return 0
    }
    const lines = definitionLines(definitions, paintFor(out.isTTY, environment), {
      now: clock.now(),
      tz,
      room: roomIn(out)
    })
    out.write(`${lines.join('\n') || `no definition is in ${client.dagsDir}`}\n`)
    return 0
  } finally {
    await client.close()
  }
}
