/** `troupe runs`: runs of a home, newest first, by filters. Source: http-api "Runs (global)"; our addition. */
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { limitOf, runFilterOf } from '../../input/run-filter.ts'
import { runsOf } from '../../owner/known-runs.ts'
import { openToRead } from '../../owner/open-client.ts'
import { paintFor } from '../../view/paint.ts'
import { runLines } from '../../view/run-rows.ts'
import { roomIn } from '../../view/table.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const filter = runFilterOf(args, clock.now())
  const limit = limitOf(args)
  const client = await openToRead(context, settings)
  try {
    const runs = await runsOf(client.api, filter, limit)
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify({ dagRuns: runs })}\n`)
      return 0
    }
    const lines = runLines(runs, paintFor(out.isTTY, environment), {
      now: clock.now(),
      tz,
      room: roomIn(out, args.on.has('wide'))
    })
    out.write(`${lines.join('\n') || 'no run matches'}\n`)
    return 0
  } finally {
    await client.close()
  }
}
