/** One run in the foreground: what `start`, `retry` and `restart` share. Source: api-semantics 11, execution-semantics 7.3.11. */
import type { StartedRun } from '../../api/contract/owner-operations.ts'
import { pause } from '../../clock.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { outputOf } from '../output/choice.ts'
import { stopped } from '../owner/acts.ts'
import { askEngine } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'
import { paintFor } from '../view/paint.ts'
import { hintAtPage, hintAtQuestions } from './hints.ts'
import { inTime } from './in-time.ts'
import { type Interrupts, interruptsOf } from './interrupts.ts'
import { reportOf, styleOf } from './report.ts'
import type { Report } from './report-scene.ts'
import { sayWarnings } from './run-warnings.ts'
import { unstored } from './stalled.ts'
import { sayWaits } from './waiting-run.ts'

const INTERRUPTED = 130
/** How long an interrupted command still waits for the answer of the engine. */
const ANSWER_MS = 5_000

/** Opens the engine, starts a run and shows it to its end. Resolves with the exit code; 0 for a run that is queued. */
export async function inForeground(
  args: Arguments,
  context: CliContext,
  begin: (client: OpenClient) => Promise<StartedRun>
): Promise<number> {
  const settings = settingsOf(args)
  const { environment, tz, logCharset: charset } = context.configure(settings)
  const output = outputOf(args)
  const say = (text: string) => void (args.on.has('quiet') || context.err.write(`${text}\n`))
  const [client, { started, interrupts, first }] = await askEngine(context, settings, say, async (client) => {
    const interrupts = interruptsOf(context) // before this line an interrupt ends the process
    const first = interrupts.next()
    try {
      const begun = begin(client)
      const left = first.then(() => Promise.race([interrupts.next(), pause(context.clock, ANSWER_MS)]))
      return { started: await Promise.race([begun, left.then(() => undefined)]), interrupts, first }
    } catch (error) {
      interrupts.end()
      throw error
    }
  })
  try {
    if (!started) {
      say(UNANSWERED)
      return INTERRUPTED
    }
    sayWarnings(started.warnings, say)
    hintAtPage(context, args, client, started.key)
    if (started.queued) {
      sayWaits(args.on, context, client, started.key)
      await Promise.race([client.unneeded(), interrupts.next()])
      return 0
    }
    const style = styleOf(args.on, context, environment)
    const stream = style === 'lines' ? context.err : context.out
    const paint = paintFor(stream.isTTY, environment)
    const report = reportOf(style, { context, tz, paint, client, output, charset })
    const code = await shown(started, client, report, first, interrupts, context, args)
    if (code === undefined) say(client.here ? LEFT_HERE : LEFT_THERE)
    else await Promise.race([client.unneeded(), interrupts.next()])
    return code ?? INTERRUPTED
  } finally {
    const second = interrupts.next()
    if (!(await inTime(client.close(), second, context))) say('left before everything was closed')
    interrupts.end()
  }
}

const UNANSWERED =
  'left: the engine has not answered, perhaps because of a full disk; the run may exist (see troupe status)'
const LEFT_HERE = 'left: its steps continue, and the next engine on this home continues the run (troupe start-all)'
const LEFT_THERE = 'left: the run continues in the engine that owns this home'

/**
 * Shows the run to its end; the first interrupt stops it, the second ends it by force (execution-semantics 7.3.6). Resolves with its exit
 * code, or with undefined when a third interrupt came before that, or when it cannot be stored.
 */
async function shown(
  { key, after }: StartedRun,
  client: OpenClient,
  report: Report,
  first: Promise<void>,
  interrupts: Interrupts,
  context: CliContext,
  args: Arguments
): Promise<number | undefined> {
  let isOver = false
  let isStopping = false
  const left = first.then(async () => {
    if (isOver) return undefined
    isStopping = true
    const second = interrupts.next()
    report.notice('stopping; Ctrl-C again kills what is running, handlers included')
    await asked(stopped(client, key.name, key.dagRunId), second)
    const third = interrupts.next()
    report.notice('killing what is running; Ctrl-C again leaves at once, and the steps keep running')
    await asked(stopped(client, key.name, key.dagRunId, { force: true }), third)
    return undefined
  })
  const known = new AbortController()
  const full = first.then(async () => {
    await unstored(client, context, known.signal)
    report.notice('the end of the run cannot be stored, perhaps because of a full disk')
    return undefined
  })
  report.begin(key)
  try {
    const run = await Promise.race([client.follow(key, report.event, { after }), left, full])
    known.abort() // the end is shown, however long that takes
    if (!run) return undefined
    isOver = true
    // The reader of the output may need hours for the output of the steps; an interrupt ends that wait.
    await Promise.race([report.end(run), interrupts.next()])
    if (run.statusLabel === 'failed') hintAtQuestions(context, args, run)
    return exitCodeOf(run.statusLabel, isStopping)
  } finally {
    known.abort()
    report.leave()
  }
}

/** Resolves with the next interrupt, which may come before the answer. @throws as the request */
const asked = (request: Promise<unknown>, interrupt: Promise<void>): Promise<void> =>
  Promise.race([interrupt, request.then(() => interrupt)])

/** Choice: SIGTERM counts as an interrupt like SIGINT. Source: api-semantics 11 "Exit codes". */
export function exitCodeOf(status: string, interrupted: boolean): number {
  if (status === 'succeeded' || status === 'partially_succeeded') return 0
  return status === 'canceled' && interrupted ? INTERRUPTED : 1
}
