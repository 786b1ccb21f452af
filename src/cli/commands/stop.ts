/**
 * `troupe stop`: stops one run, or all running runs of a definition, and waits for their end. Source: api-semantics 11.
 * Choice: it waits, so that a later start finds the run ended; Ctrl-C ends the wait, not the stop. `--force` kills all running
 * steps, handlers included (execution-semantics 7.3.6).
 */
import type { Client } from '../../client/index.ts'
import { didYouMean } from '../../nearest.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import type { CommandModule } from '../input/command.ts'
import { requestedRuns } from '../input/requested-run.ts'
import { stopped } from '../owner/acts.ts'
import { act } from '../owner/answer.ts'
import { knownNames, queuedOf } from '../owner/known-runs.ts'
import { shownStatus, wordOf } from '../view/paint.ts'

// D402: `stop` waits until the run has ended
export const run: CommandModule['run'] = async (args, context) => {
  const isJson = args.on.has('json')
  const say = (text: string) => void (args.on.has('quiet') || isJson || context.out.write(`${text}\n`))
  return act(
    args,
    context,
    async (client) => {
      const { name, dagRunId } = await requestedRuns(args, context, client)
      return { name, dagRunId, asked: await stopped(client, name, dagRunId, { force: args.on.has('force') }) }
    },
    async ({ name, dagRunId, asked }, write, client) => {
      if (asked.length === 0) for (const line of await whyNone(name, dagRunId, client.api)) say(line)
      for (const key of asked) say(`stopping run ${key.dagRunId} of ${name}`)
      const ended = await Promise.all(
        asked.map(async (key) => {
          const { statusLabel: status } = await client.follow(key, () => {})
          say(`run ${key.dagRunId} of ${name}: ${wordOf(shownStatus(status))}`)
          return { ...key, status }
        })
      )
      write({ stopped: ended }, () => [])
    }
  )
}

/** A run that waits is not stopped: it is taken out of its queue. Source: execution-semantics 7.3.8. */
async function whyNone(name: string, dagRunId: string | undefined, api: Client): Promise<string[]> {
  const queued = (await queuedOf(api, name)).filter((run) => dagRunId === undefined || run.dagRunId === dagRunId)
  const hints = queued.map(
    (run) =>
      `run ${run.dagRunId} of ${name} waits in a queue; troupe dequeue --dag-run=${shellWord(`${name}:${run.dagRunId}`)} removes it`
  )
  if (dagRunId) return [`run ${dagRunId} of ${name} is not running`, ...hints]
  const known = await knownNames(api)
  return [`no run of ${name} is running${known.includes(name) ? '' : didYouMean(name, known)}`, ...hints]
}
