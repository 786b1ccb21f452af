/** A command that asks an engine and shows the answer: as one line of JSON, as lines, or with --quiet not at all. */
import type { Client } from '../../client/index.ts'
import { JsonText } from '../../client/request.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { type Paint, paintFor } from '../view/paint.ts'
import { roomIn } from '../view/table.ts'
import { askEngine, openToRead } from './open-client.ts'
import type { OpenClient } from './opened.ts'

/** Writes a result, unless --quiet. @param none the line instead of no lines */
type Write = (result: unknown, lines: () => string[], none?: string) => void

export interface Asking {
  client: OpenClient
  /** The API of the client. */
  api: Client
  /** For stdout. */
  paint: Paint
  /** IANA zone of the times. */
  tz: string
  /** Epoch ms. */
  now(): number
  /** Columns of the terminal. */
  room: number
  write: Write
}

/** A command that reads: from the owner of the home, from its store, or from a server elsewhere. Resolves with the exit code. */
export async function show(
  args: Arguments,
  context: CliContext,
  ask: (asking: Asking) => Promise<unknown>
): Promise<number> {
  const { out, clock, configure } = context
  const settings = settingsOf(args)
  const { environment, tz } = configure(settings)
  const client = await openToRead(context, settings)
  try {
    const paint = paintFor(out.isTTY, environment)
    const write = writerOf(args, context)
    await ask({ client, api: client.api, paint, tz, now: clock.now, room: roomIn(out), write })
    return 0
  } finally {
    await client.close()
  }
}

/** A command that acts: a home without an owner gets an engine in this process. Resolves with the exit code. */
export async function act<T>(
  args: Arguments,
  context: CliContext,
  ask: (client: OpenClient) => Promise<T>,
  tell: (answer: T, write: Write, client: OpenClient) => unknown
): Promise<number> {
  const say = (text: string) => void (args.on.has('quiet') || context.err.write(`${text}\n`))
  const [client, answer] = await askEngine(context, settingsOf(args), say, ask)
  try {
    await tell(answer, writerOf(args, context), client)
    await client.unneeded()
    return 0
  } finally {
    await client.close()
  }
}

const writerOf =
  ({ on }: Arguments, { out }: CliContext): Write =>
  (result, lines, none) => {
    if (on.has('quiet')) return
    const found = on.has('json') ? [result instanceof JsonText ? result.text : JSON.stringify(result)] : lines()
    const shown = found.length === 0 && none !== undefined ? [none] : found
    out.write(shown.map((line) => `${line}\n`).join(''))
  }
