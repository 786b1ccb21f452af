/** A run that goes on in another process, shown to its end. Our addition: `troupe status --watch`. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import type { OpenClient } from '../owner/opened.ts'
import type { Paint } from '../view/paint.ts'
import { interruptsOf } from './interrupts.ts'
import { reportOf, styleOf } from './report.ts'

/** Resolves when the run has ended, with what is still to be told of it, or at an interrupt. */
export async function watched(
  { name, dagRunId }: RunKey,
  args: Arguments,
  context: CliContext,
  { client, paint }: { client: OpenClient; paint: Paint }
): Promise<RunDetails | undefined> {
  const { environment, tz, logCharset: charset } = context.configure(settingsOf(args))
  const style = styleOf(args.on, context, environment)
  const report = reportOf(style, { context, tz, paint, client, output: 'none', charset })
  const say = (text: string) => void (args.on.has('quiet') || context.err.write(`${text}\n`))
  const interrupts = interruptsOf(context)
  const key = { name, dagRunId }
  report.begin(key)
  try {
    const ended = await Promise.race([client.follow(key, report.event, { say }), interrupts.next()])
    if (ended) await report.end(ended)
    return style === 'lines' && ended ? ended : undefined
  } finally {
    report.leave()
    interrupts.end()
  }
}
