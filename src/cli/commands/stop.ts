/**
 * `troupe stop`: stops one run, or all running runs of a definition, and waits for their end. Source: api-semantics 11.
 * Choice: it waits, so that a start after it finds the place free; Ctrl-C ends the waiting, not the stop. `--force` kills what is
 * running, handlers included (execution-semantics 7.3.6).
 */
import type { Door } from '../../api/owner/door.ts'
import { didYouMean } from '../../nearest.ts'
import { endOf } from '../foreground/ending.ts'
import type { CommandRoom } from '../input/command.ts'
import { dagNameOf } from '../input/dag-name.ts'
import { settingsOf } from '../input/flags.ts'
import { idOf } from '../input/run-given.ts'
import { askAtDoor } from '../owner/open-door.ts'
import { wordOf } from '../view/paint.ts'

// D402
export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { cwd, out, err } = surroundings
  const settings = settingsOf(args)
  const isQuiet = args.on.has('quiet')
  const isJson = args.on.has('json')
  const say = (text: string) => void (isQuiet || isJson || out.write(`${text}\n`))
  const given = args.text['run-id']
  const note = (text: string) => void (isQuiet || err.write(`${text}\n`))
  const [door, { name, dagRunId, asked }] = await askAtDoor(surroundings, settings, note, async (door) => {
    const name = await dagNameOf(args.operand, door, { cwd, dagsDir: door.dagsDir })
    const dagRunId = given === undefined ? undefined : await idOf(name, given, { surroundings, door })
    return { name, dagRunId, asked: await door.stop(name, dagRunId, { force: args.on.has('force') }) }
  })
  try {
    if (asked.length === 0) for (const line of await whyNone(name, dagRunId, door)) say(line)
    for (const key of asked) say(`stopping run ${key.dagRunId} of ${name}`)
    const ended = await Promise.all(
      asked.map(async (key) => {
        const { status } = (await endOf(key, door, surroundings, settings)).run
        say(`run ${key.dagRunId} of ${name}: ${wordOf(status)}`)
        return { ...key, status }
      })
    )
    if (isJson && !isQuiet) out.write(`${JSON.stringify({ stopped: ended })}\n`)
    await door.unneeded()
    return 0
  } finally {
    await door.close()
  }
}

/** A run that waits is not stopped: it is taken out of its queue. Source: execution-semantics 7.3.8. */
async function whyNone(name: string, dagRunId: string | undefined, door: Door): Promise<string[]> {
  const queued = (await door.queued(name)).filter((run) => dagRunId === undefined || run.dagRunId === dagRunId)
  const hints = queued.map(
    (run) =>
      `run ${run.dagRunId} of ${name} waits in a queue; troupe dequeue --dag-run=${name}:${run.dagRunId} removes it`
  )
  if (dagRunId) return [`run ${dagRunId} of ${name} is not running`, ...hints]
  const known = await door.names()
  return [`no run of ${name} is running${known.includes(name) ? '' : didYouMean(name, known)}`, ...hints]
}
