/** `troupe status`: the newest run of a definition, or one by its id, as a tree or as JSON. Source: api-semantics 11. */
import { hintAtQuestions } from '../foreground/hints.ts'
import { writeSummary } from '../foreground/show-summary.ts'
import { NOBODY } from '../foreground/waiting-run.ts'
import { watched } from '../foreground/watched.ts'
import type { CommandModule } from '../input/command.ts'
import { requestedRun } from '../input/requested-run.ts'
import { show } from '../owner/answer.ts'
import { queuedOf } from '../owner/known-runs.ts'
import { waitingLine } from '../view/queue-rows.ts'

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ client, api, paint, now, room, write }) => {
    const shown = await requestedRun(args, context, client)
    if (args.on.has('watch') && shown.finishedAt === '') {
      if (!client.here) {
        const ended = await watched(shown, args, context, { client, paint })
        if (ended) writeSummary(context, ended, { to: context.out, paint, client })
        return
      }
      context.err.write(`${NOBODY}\n`)
    }
    if (args.on.has('quiet')) return
    const queued = await queuedOf(api, shown.name)
    write({ ...shown, queuedDAGRuns: queued }, () => {
      writeSummary(context, shown, { to: context.out, paint, client })
      const others = queued.filter(({ dagRunId }) => dagRunId !== shown.dagRunId)
      return others.map((run) => waitingLine(run, paint, now(), room))
    })
    hintAtQuestions(context, args, shown)
  })
