/** `troupe workers`: the programs that take runs from the running engine. Source: distribution 8; our addition. */
import type { CommandModule } from '../input/command.ts'
import { show } from '../owner/answer.ts'
import { absentLines, workerLines } from '../view/worker-rows.ts'

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ api, paint, now, room, write }) => {
    const answer = await api.listWorkers()
    const lines = () => {
      for (const error of answer.errors) context.err.write(`${error}\n`)
      const shown = workerLines(answer.workers, paint, now(), room)
      return [...(shown.length > 0 ? shown : ['no worker has said hello']), ...absentLines(answer, now())]
    }
    write(answer, lines)
  })
