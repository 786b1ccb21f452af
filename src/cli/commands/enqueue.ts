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
import { runOf } from '../owner/known-runs.ts'
import { askEngine } from '../owner/open-client.ts'

/** Any queue name is valid, so a mistyped one gets a hint; empty: no hint. */
function unknownQueue(queue: string, { queues }: Config): string {
  const names = queues.config.map(({ name }) => name)
  const hint = names.includes(queue) ? '' : didYouMean(queue, names)
  return hint === '' ? '' : `no queue ${queue} is configured${hint}`
}

export const run: CommandModule['run'] = async (args, context) => {
  const { cwd, out, err } = context
  const params = paramsOf('enqueue', args)
  const isQuiet = args.on.has('quiet')
  const say = (text: string) => void (isQuiet || text === '' || err.write(`${text}\n`))
  const { 'run-id': dagRunId, name: dagName, queue } = args.text
  const [client, key] = await askEngine(context, settingsOf(args), say, (client) =>
    client.enqueue({
      file: client.isElsewhere ? args.operand : mustLocate(args.operand, { cwd, dagsDir: client.dagsDir }),
      ...(params ? { params } : {}),
      ...(dagRunId ? { dagRunId } : {}),
      ...(dagName ? { dagName } : {}),
      ...(queue ? { queue } : {})
    })
  )
  try {
    // An engine that has left meanwhile has queued it all the same.
    const queued = await runOf(client.api, key).catch(() => undefined)
    sayWarnings(queued?.warnings, say)
    if (!isQuiet) out.write(`${args.on.has('json') ? JSON.stringify(key) : key.dagRunId}\n`)
    if (queue && !client.isElsewhere) say(unknownQueue(queue, context.configure(settingsOf(args))))
    if (client.holdsQueues) say(HELD)
    hintAtPage(context, args, client, key)
    await client.unneeded()
    return 0
  } finally {
    await client.close()
  }
}
