/** `troupe status`: the newest run of a definition, or a given one, as a tree or as JSON. Source: api-semantics 11. */
import { writeSummary } from '../foreground/show-summary.ts'
import type { CommandRoom } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { runGiven } from '../input/run-given.ts'
import { openToRead } from '../owner/open-door.ts'
import { paintFor } from '../view/paint.ts'
import { waitingLine } from '../view/queue-rows.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { out, clock } = surroundings
  const settings = settingsOf(args)
  const { environment, tz } = surroundings.configure(settings)
  const door = await openToRead(surroundings, settings)
  try {
    const view = await runGiven(args, surroundings, door)
    const { name } = view.run
    if (args.on.has('quiet')) return 0
    const queued = await door.queued(name)
    if (args.on.has('json')) {
      const { detailsOf, summaryOf } = await import('../foreground/details.ts')
      out.write(
        `${JSON.stringify({ ...detailsOf(view, tz), queuedDAGRuns: queued.map((run) => summaryOf(run, tz)) })}\n`
      )
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    writeSummary(surroundings, view, { to: out, paint })
    for (const run of queued)
      if (run.dagRunId !== view.run.dagRunId) out.write(`${waitingLine(run, paint, clock.now())}\n`)
    return 0
  } finally {
    await door.close()
  }
}
