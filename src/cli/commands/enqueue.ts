/** `troupe enqueue`: puts a run into its queue and prints its id. Source: api-semantics 11, execution-semantics 12.7, 12.8. */
import type { Config } from '../../config.ts'
import { didYouMean } from '../../nearest.ts'
import { sayWarnings } from '../foreground/run-warnings.ts'
import { HELD } from '../foreground/waiting-run.ts'
import type { CommandRoom } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { mustLocate } from '../input/locate.ts'
import { paramsOf } from '../input/params-text.ts'
import { askAtDoor } from '../owner/open-door.ts'

/** A queue of any name may be used, so one that is mistyped is no error; empty: there is nothing to say. */
function unknownQueue(queue: string, { queues }: Config): string {
  const names = queues.config.map(({ name }) => name)
  const hint = names.includes(queue) ? '' : didYouMean(queue, names)
  return hint === '' ? '' : `no queue ${queue} is configured${hint}`
}

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { cwd, out, err } = surroundings
  const params = paramsOf('enqueue', args)
  const isQuiet = args.on.has('quiet')
  const say = (text: string) => void (isQuiet || text === '' || err.write(`${text}\n`))
  const { 'run-id': dagRunId, name: dagName, queue } = args.text
  const [door, key] = await askAtDoor(surroundings, settingsOf(args), say, (door) =>
    door.enqueue({
      file: mustLocate(args.operand, { cwd, dagsDir: door.dagsDir }),
      ...(params ? { params } : {}),
      ...(dagRunId ? { dagRunId } : {}),
      ...(dagName ? { dagName } : {}),
      ...(queue ? { queue } : {})
    })
  )
  try {
    // One that is gone meanwhile has it queued all the same.
    const view = await door.run(key.name, key.dagRunId).catch(() => undefined)
    sayWarnings(view?.run.warnings, say)
    if (!isQuiet) out.write(`${args.on.has('json') ? JSON.stringify(key) : key.dagRunId}\n`)
    if (queue) say(unknownQueue(queue, surroundings.configure(settingsOf(args))))
    if (door.holdsQueues) say(HELD)
    await door.unneeded()
    return 0
  } finally {
    await door.close()
  }
}
