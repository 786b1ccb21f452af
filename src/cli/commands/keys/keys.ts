/** `troupe keys`: the API keys of a home, or of a server elsewhere. Our addition: docs/cli.md "API keys". */
import type { CommandModule } from '../../input/command.ts'
import { show } from '../../owner/answer.ts'
import { keyLines } from './key-rows.ts'

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ api, paint, now, room, write }) => {
    const answer = await api.listKeys()
    const { keys } = answer
    const lines = () => (keys.length > 0 ? keyLines(keys, paint, now(), room) : [])
    write(answer, lines, 'there are no keys; troupe key create NAME --role viewer makes one')
  })
