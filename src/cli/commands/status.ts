/** `troupe status`: the newest run of a definition, or one by its id, as a tree or as JSON. Source: api-semantics 11. */
import { writeSummary } from '../foreground/show-summary.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { requestedRun } from '../input/requested-run.ts'
import { queuedOf } from '../owner/known-runs.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { waitingLine } from '../view/queue-rows.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const view = await requestedRun(args, context, client)
    const { name } = view.run
    if (args.on.has('quiet')) return 0
    const queued = await queuedOf(client, name)
    if (args.on.has('json')) {
      const { detailsOf, summaryOf } = await import('../foreground/details.ts')
      out.write(
        `${JSON.stringify({ ...detailsOf(view, tz), queuedDAGRuns: queued.map((run) => summaryOf(run, tz)) })}\n`
      )
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    writeSummary(context, view, { to: out, paint })
    for (const run of queued)
      if (run.dagRunId !== view.run.dagRunId) out.write(`${waitingLine(run, paint, clock.now())}\n`)
    return 0
  } finally {
    await client.close()
  }
}
