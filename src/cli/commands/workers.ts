/** `troupe workers`: the programs that take runs from the running engine. Source: distribution 8; our addition. */
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { roomIn } from '../view/table.ts'
import { absentLines, workerLines } from '../view/worker-rows.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, clock } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const view = await client.workers()
    const { workers, errors, enrolled } = view
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const [{ workersShape }, { timeTextIn }] = await Promise.all([
        import('../../api/shapes/home/worker-shapes.ts'),
        import('../../api/shapes/time-text.ts')
      ])
      out.write(`${JSON.stringify(workersShape(view, timeTextIn(tz)))}\n`)
      return 0
    }
    for (const error of errors) err.write(`${error}\n`)
    const lines = workerLines(workers, paintFor(out.isTTY, environment), clock.now(), roomIn(out))
    out.write(`${lines.join('\n') || 'no worker has said hello'}\n`)
    for (const line of absentLines(workers, enrolled, clock.now())) out.write(`${line}\n`)
    return 0
  } finally {
    await client.close()
  }
}
