/** `troupe runs`: runs of a home, newest first, by filters. Source: http-api "Runs (global)"; our addition. */
import type { CommandModule } from '../../input/command.ts'
import { limitOf, runFilterOf } from '../../input/run-filter.ts'
import { show } from '../../owner/answer.ts'
import { runsOf } from '../../owner/known-runs.ts'
import { runLines } from '../../view/run-rows.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const filter = runFilterOf(args, context.clock.now())
  const limit = limitOf(args)
  const isWide = args.on.has('wide')
  return show(args, context, async ({ api, paint, tz, now, room, write }) => {
    const runs = await runsOf(api, filter, limit)
    write(
      { dagRuns: runs },
      () => runLines(runs, paint, { now: now(), tz, room: isWide ? Number.POSITIVE_INFINITY : room }),
      'no run matches'
    )
  })
}
