/** What commands that inspect a run share: the requested run, and a client to read it with. Source: docs/inspect.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client } from '../../client/index.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { dagNameOf } from '../input/dag-name.ts'
import { settingsOf } from '../input/flags.ts'
import { type Paint, paintFor } from '../view/paint.ts'
import { knownNames, LATEST } from './known-runs.ts'
import { hasNoRuns, noSuchRun } from './no-runs.ts'
import { openToRead } from './open-client.ts'
import type { OpenClient } from './opened.ts'

export interface LookedAt {
  client: OpenClient
  /** The API of the client. */
  api: Client
  /** DAG name. */
  name: string
  /** The id of the run is `latest` unless the user gave one. */
  key: RunKey
  paint: Paint
  /** IANA zone of the times. */
  tz: string
  /** Writes a result, unless --quiet: one line of JSON, or lines. */
  write(result: unknown, lines: () => string[]): void
}

/** Opens a client for `look` and closes it afterwards. Resolves with the exit code. */
export async function lookAt(
  args: Arguments,
  context: CliContext,
  look: (at: LookedAt) => Promise<void>
): Promise<number> {
  const { cwd, out } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const name = await dagNameOf(args.operand, client, { cwd, dagsDir: client.dagsDir })
    const looking = look({
      client,
      api: client.api,
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
      // No run has an id that cannot be one.
      const isNone = messageOf(error) === `no run ${id} of ${name}` || /^(path\.)?dagRunId: /.test(messageOf(error))
      if (error instanceof TroupeError && error.message.startsWith('there is no definition named '))
        throw new TroupeError('not_found', error.message + didYouMean(name, await knownNames(client.api)), {
          cause: error
        })
      if (!isNone) throw error
      const searched = { context, client }
      throw id === LATEST ? await hasNoRuns(name, searched) : await noSuchRun(name, id, searched)
    })
    return 0
  } finally {
    await client.close()
  }
}

/** A flag whose value is an event number. @throws TroupeError bad_request */
export function eventNumber(args: Arguments, flag: string): number | undefined {
  const text = args.text[flag]
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TroupeError('bad_request', `--${flag}: wanted the number of an event, found ${JSON.stringify(text)}`)
}
