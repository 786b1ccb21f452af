/** What commands that look at a run have in common: the run they were given, and the door to ask about it. Source: docs/inspect.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Arguments } from '../input/command.ts'
import { dagNameOf } from '../input/dag-name.ts'
import { settingsOf } from '../input/flags.ts'
import { LATEST } from '../input/run-given.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Paint, paintFor } from '../view/paint.ts'
import { hasNoRuns, noSuchRun } from './no-runs.ts'
import { openToRead } from './open-door.ts'
import type { OpenDoor } from './opened.ts'

export interface LookedAt {
  door: OpenDoor
  /** DAG name. */
  name: string
  /** `latest` unless an id was given. */
  key: RunKey
  paint: Paint
  /** IANA zone of the times. */
  tz: string
  /** Writes a result, unless --quiet: one line of JSON, or lines. */
  write(result: unknown, lines: () => string[]): void
}

/** Opens the door, has `look` look, and closes it. Resolves with the exit code. */
export async function lookAt(
  args: Arguments,
  surroundings: Surroundings,
  look: (at: LookedAt) => Promise<void>
): Promise<number> {
  const { cwd, out } = surroundings
  const settings = settingsOf(args)
  const { environment, tz } = surroundings.configure(settings)
  const door = await openToRead(surroundings, settings)
  try {
    const name = await dagNameOf(args.operand, door, { cwd, dagsDir: door.dagsDir })
    const looking = look({
      door,
      name,
      key: { name, dagRunId: args.text['run-id'] ?? LATEST },
      paint: paintFor(out.isTTY, environment),
      tz,
      write(result, lines) {
        if (args.on.has('quiet')) return
        out.write(
          args.on.has('json')
            ? `${JSON.stringify(result)}\n`
            : lines()
                .map((line) => `${line}\n`)
                .join('')
        )
      }
    })
    await looking.catch(async (error) => {
      const id = args.text['run-id'] ?? LATEST
      const isNone = error instanceof TroupeError && error.message === `no run ${id} of ${name}`
      if (error instanceof TroupeError && error.message.startsWith('there is no definition named '))
        throw new TroupeError('not_found', error.message + didYouMean(name, await door.names()), { cause: error })
      if (!isNone) throw error
      const searched = { surroundings, door }
      throw id === LATEST ? await hasNoRuns(name, searched) : await noSuchRun(name, id, searched)
    })
    return 0
  } finally {
    await door.close()
  }
}

/** A flag whose value is the number of an event. @throws TroupeError bad_request */
export function eventNumber(args: Arguments, flag: string): number | undefined {
  const text = args.text[flag]
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TroupeError('bad_request', `--${flag}: wanted the number of an event, found ${JSON.stringify(text)}`)
}
