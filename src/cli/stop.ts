/**
 * `troupe stop`: stops one run, or all running runs of a definition, and waits for their end. Source: api-semantics 11.
 * Choice: it waits, so that a start after it finds the place free; Ctrl-C ends the waiting, not the stop.
 */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { RunView } from '../engine.ts'
import type { CommandRoom } from './commands.ts'
import { dagNameOf } from './dag-name.ts'
import { settingsOf } from './flags.ts'
import { openDoor, openToRead } from './open-door.ts'
import { wordOf } from './view/paint.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { cwd, out, err } = surroundings
  const isQuiet = args.on.has('quiet')
  const isJson = args.on.has('json')
  const say = (text: string) => void (isQuiet || isJson || out.write(`${text}\n`))
  const door = await openDoor(surroundings, settingsOf(args), (text) => void (isQuiet || err.write(`${text}\n`)))
  /** A foreground start goes when its run has ended, perhaps before it could say so: then the store says how. */
  async function endOf(key: RunKey): Promise<RunView> {
    try {
      return await door.watch(key, () => {})
    } catch (error) {
      const reader = await openToRead(surroundings, settingsOf(args))
      try {
        const view = await reader.run(key.name, key.dagRunId)
        if (view && view.run.finishedAt !== undefined) return view
      } finally {
        await reader.close()
      }
      throw error
    }
  }
  try {
    const name = await dagNameOf(args.operand, door, { cwd, dagsDir: door.dagsDir })
    const dagRunId = args.text['run-id']
    const asked = await door.stop(name, dagRunId)
    if (asked.length === 0) say(dagRunId ? `run ${dagRunId} of ${name} is not running` : `no run of ${name} is running`)
    for (const key of asked) say(`stopping run ${key.dagRunId} of ${name}`)
    const ended = await Promise.all(
      asked.map(async (key) => {
        const { status } = (await endOf(key)).run
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
