/** One run in the foreground: what `start`, `retry` and `restart` have in common. Source: api-semantics 11, execution-semantics 7.3.11. */
import type { RunStatus } from '../../../machines/vocabulary.ts'
import type { FollowedRun, StartedRun } from '../../api/owner/door.ts'
import { pause } from '../../clock.ts'
import type { Arguments } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { outputOf } from '../output/choice.ts'
import { askAtDoor } from '../owner/open-door.ts'
import type { OpenDoor } from '../owner/opened.ts'
import type { Surroundings } from '../surroundings.ts'
import { paintFor } from '../view/paint.ts'
import { inTime } from './in-time.ts'
import { type Interrupts, interruptsOf } from './interrupts.ts'
import { reportOf, styleOf } from './report.ts'
import type { Report } from './report-scene.ts'
import { sayWarnings } from './run-warnings.ts'
import { sayWaits } from './waiting-run.ts'

const INTERRUPTED = 130
/** Who is interrupted before the engine has answered waits so much longer for that. */
const ANSWER_MS = 5_000

/** Opens the engine, begins a run there, and shows it to its end. Resolves with the exit code; a run that is queued is left: 0. */
export async function inForeground(
  args: Arguments,
  surroundings: Surroundings,
  begin: (door: OpenDoor) => Promise<StartedRun>
): Promise<number> {
  const settings = settingsOf(args)
  const { environment, tz, logCharset: charset } = surroundings.configure(settings)
  const output = outputOf(args)
  const say = (text: string) => void (args.on.has('quiet') || surroundings.err.write(`${text}\n`))
  const [door, { started, interrupts, first }] = await askAtDoor(surroundings, settings, say, async (door) => {
    const interrupts = interruptsOf(surroundings) // until here one ends the process
    const first = interrupts.next()
    try {
      const begun = begin(door)
      const left = first.then(() => Promise.race([interrupts.next(), pause(surroundings.clock, ANSWER_MS)]))
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
    if (started.queued) {
      sayWaits(args.on, surroundings, door, started.key)
      await Promise.race([door.unneeded(), interrupts.next()])
      return 0
    }
    const style = styleOf(args.on, surroundings, environment)
    const told = style === 'lines' ? surroundings.err : surroundings.out
    const paint = paintFor(told.isTTY, environment)
    const report = reportOf(style, { surroundings, tz, paint, door, output, charset })
    const code = await shown(started, door, report, first, interrupts)
    if (code === undefined) say(door.here ? LEFT_HERE : LEFT_THERE)
    else await Promise.race([door.unneeded(), interrupts.next()])
    return code ?? INTERRUPTED
  } finally {
    const second = interrupts.next()
    if (!(await inTime(door.close(), second, surroundings))) say('left before everything was closed')
    interrupts.end()
  }
}

const UNANSWERED = 'left: the engine has not answered, as on a full disk; the run may be there (troupe status tells)'
const LEFT_HERE = 'left: its steps continue, and the next engine on this home continues the run (troupe start-all)'
const LEFT_THERE = 'left: the run continues in the engine that owns this home'

/**
 * Shows the run to its end; the first interrupt stops it, the second ends it by force (execution-semantics 7.3.6). Resolves with its exit
 * code, or with undefined when a third interrupt came before that.
 */
async function shown(
  { key, follow }: FollowedRun,
  door: OpenDoor,
  report: Report,
  first: Promise<void>,
  interrupts: Interrupts
): Promise<number | undefined> {
  let isOver = false
  let isStopping = false
  const left = first.then(async () => {
    if (isOver) return undefined
    isStopping = true
    const second = interrupts.next()
    report.notice('stopping; Ctrl-C again kills what is running, handlers included')
    await asked(door.stop(key.name, key.dagRunId), second)
    const third = interrupts.next()
    report.notice('killing what is running; Ctrl-C again leaves at once, then the steps live on')
    await asked(door.stop(key.name, key.dagRunId, { force: true }), third)
    return undefined
  })
  report.begin(key)
  try {
    const view = await Promise.race([follow(report.event), left])
    if (!view) return undefined
    isOver = true
    // Its reader may take hours for what the steps have printed, and an interrupt says that this is enough.
    await Promise.race([report.end(view), interrupts.next()])
    return exitCodeOf(view.run.status, isStopping)
  } finally {
    report.leave()
  }
}

/** Resolves with the interrupt after it, which may come before it is answered. @throws as the request */
const asked = (request: Promise<unknown>, interrupt: Promise<void>): Promise<void> =>
  Promise.race([interrupt, request.then(() => interrupt)])

/** Choice: SIGTERM counts as an interrupt like SIGINT. Source: api-semantics 11 "Exit codes". */
export function exitCodeOf(status: RunStatus, interrupted: boolean): number {
  if (status === 'succeeded' || status === 'partially_succeeded') return 0
  return status === 'canceled' && interrupted ? INTERRUPTED : 1
}
