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
  const { environment } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const answer = await client.api.listWorkers()
    const { workers, errors } = answer
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify(answer)}\n`)
      return 0
    }
    for (const error of errors) err.write(`${error}\n`)
    const lines = workerLines(workers, paintFor(out.isTTY, environment), clock.now(), roomIn(out))
    out.write(`${lines.join('\n') || 'no worker has said hello'}\n`)
    for (const line of absentLines(answer, clock.now())) out.write(`${line}\n`)
    return 0
  } finally {
    await client.close()
  }
}
