/** `troupe keys`: the API keys of a home, or of a server elsewhere. Our addition: docs/cli.md "API keys". */
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn } from '../../view/table.ts'
import { keyLines } from './key-rows.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock, configure } = context
  const settings = settingsOf(args)
  const { environment } = configure(settings)
  const client = await openToRead(context, settings)
  try {
    const answer = await client.api.listKeys()
    const { keys } = answer
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify(answer)}\n`)
      return 0
    }
    const lines = keys.length > 0 ? keyLines(keys, paintFor(out.isTTY, environment), clock.now(), roomIn(out)) : []
    out.write(`${lines.join('\n') || 'there are no keys; troupe key create NAME --role viewer makes one'}\n`)
    return 0
  } finally {
    await client.close()
  }
}
