/**
 * `troupe stop`: stops one run, or all running runs of a definition, and waits for their end. Source: api-semantics 11.
 * Choice: it waits, so that a start after it finds the place free; Ctrl-C ends the waiting, not the stop.
 */
import type { CommandRoom } from './commands.ts'
import { dagNameOf } from './dag-name.ts'
import { settingsOf } from './flags.ts'
import { openDoor } from './open-door.ts'
import { wordOf } from './view/paint.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { cwd, out, err } = surroundings
  const isQuiet = args.on.has('quiet')
  const isJson = args.on.has('json')
  const say = (text: string) => void (isQuiet || isJson || out.write(`${text}\n`))
  const door = await openDoor(surroundings, settingsOf(args), (text) => void (isQuiet || err.write(`${text}\n`)))
  try {
    const name = await dagNameOf(args.operand, door, { cwd, dagsDir: door.dagsDir })
    const dagRunId = args.text['run-id']
    const asked = await door.stop(name, dagRunId)
    if (asked.length === 0) say(dagRunId ? `run ${dagRunId} of ${name} is not running` : `no run of ${name} is running`)
    for (const key of asked) say(`stopping run ${key.dagRunId} of ${name}`)
    const ended = await Promise.all(
      asked.map(async (key) => {
        const { status } = (await door.watch(key, () => {})).run
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
