/** `troupe status`: the newest run of a definition, or one by its id, as a tree or as JSON. Source: api-semantics 11. */
import { hintAtQuestions } from '../foreground/hints.ts'
import { writeSummary } from '../foreground/show-summary.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { requestedRun } from '../input/requested-run.ts'
import { queuedOf } from '../owner/known-runs.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { waitingLine } from '../view/queue-rows.ts'
import { roomIn } from '../view/table.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const shown = await requestedRun(args, context, client)
    if (args.on.has('quiet')) return 0
    const queued = await queuedOf(client.api, shown.name)
    if (args.on.has('json')) {
      out.write(`${JSON.stringify({ ...shown, queuedDAGRuns: queued })}\n`)
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    writeSummary(context, shown, { to: out, paint, client })
    for (const run of queued)
      if (run.dagRunId !== shown.dagRunId) out.write(`${waitingLine(run, paint, clock.now(), roomIn(out))}\n`)
    hintAtQuestions(context, args, shown)
    return 0
  } finally {
    await client.close()
  }
}
