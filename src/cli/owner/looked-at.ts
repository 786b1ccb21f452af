/** What commands that inspect a run share: the requested run, and a client to read it with. Source: docs/inspect.md. */
import type { Client, RunDetails } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { requestedRun } from '../input/requested-run.ts'
import { type Paint, paintFor } from '../view/paint.ts'
import { openToRead } from './open-client.ts'
import type { OpenClient } from './opened.ts'

export interface LookedAt {
  client: OpenClient
  /** The API of the client. */
  api: Client
  /** The run that is asked for. @throws TroupeError not_found */
  run(): Promise<RunDetails>
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
  const { out } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    await look({
      client,
      api: client.api,
      run: () => requestedRun(args, context, client),
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
