/** `troupe list`: the definitions of a home, with their last run and their next start. Our addition. */
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
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
    const definitions = await client.definitions()
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const [{ summaryOf }, { timeTextIn }] = await Promise.all([
        import('../../foreground/details.ts'),
        import('../../../api/shapes/time-text.ts')
      ])
      const time = timeTextIn(tz)
      const dags = definitions.map(({ latest, nextRun, ...listed }) => ({
        ...listed,
        nextRun: time(nextRun),
        latestDAGRun: latest ? summaryOf(latest, tz) : null
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
