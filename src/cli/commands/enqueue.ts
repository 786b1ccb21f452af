/** `troupe enqueue`: puts a run into its queue and prints its id. Source: api-semantics 11, execution-semantics 12.7, 12.8. */
import type { Config } from '../../config.ts'
import { didYouMean } from '../../nearest.ts'
import { hintAtPage } from '../foreground/hints.ts'
import { sayWarnings } from '../foreground/run-warnings.ts'
import { HELD } from '../foreground/waiting-run.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { mustLocate } from '../input/locate.ts'
import { paramsOf } from '../input/params-text.ts'
import { placingOf } from '../input/placing.ts'
import { act } from '../owner/answer.ts'
import { runOf } from '../owner/known-runs.ts'

/** Any queue name is valid, so a mistyped one gets a hint; empty: no hint. */
function unknownQueue(queue: string, { queues }: Config): string {
  const names = queues.config.map(({ name }) => name)
  const hint = names.includes(queue) ? '' : didYouMean(queue, names)
  return hint === '' ? '' : `no queue ${queue} is configured${hint}`
}

export const run: CommandModule['run'] = async (args, context) => {
  const params = paramsOf('enqueue', args)
  const { 'run-id': dagRunId, name: dagName, queue } = args.text
  const placing = placingOf(args)
  const say = (text: string) => void (args.on.has('quiet') || text === '' || context.err.write(`${text}\n`))
  return act(
    args,
    context,
    async ({ acts, isElsewhere, dagsDir }) => {
      const file = isElsewhere ? args.operand : mustLocate(args.operand, { cwd: context.cwd, dagsDir })
      const names = { ...(dagRunId ? { dagRunId } : {}), ...(dagName ? { dagName } : {}) }
      const rest = { ...(queue ? { queue } : {}), ...placing }
      return acts.enqueueDag({ body: { file, ...(params ? { params } : {}), ...names, ...rest } })
    },
    async (key, write, client) => {
      // An engine that has left meanwhile has queued it all the same.
      const queued = await runOf(client.api, key).catch(() => undefined)
      sayWarnings(queued?.warnings, say)
      write(key, () => [key.dagRunId])
      if (queue && !client.isElsewhere) say(unknownQueue(queue, context.configure(settingsOf(args))))
      if (client.holdsQueues) say(HELD)
      hintAtPage(context, args, client, key)
    }
  )
}
