/** `troupe watch`: a live overview in the terminal. Elsewhere it is printed once. Our addition, see docs/cli.md. */
import { pause } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import type { CliContext } from '../context.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { stopped } from '../owner/acts.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { clockFace, oneLine } from '../view/text.ts'
import { type Looking, openLooking } from './look.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import { pageOf, screenLines } from './screen.ts'
import { type Act, pressed, START, type State } from './state.ts'
import { openTerminal } from './terminal.ts'

/** Between two looks. */
const LOOK_MS = 1_000

// D1255: `troupe watch` looks once a second, and asks before it acts
export const run: CommandModule['run'] = async (args, context) => {
  const { out } = context
  const settings = settingsOf(args)
  const config = context.configure(settings)
  const looking = openLooking(context, settings)
  try {
    if (!out.isTTY || args.on.has('json') || !process.stdin.isTTY) {
      await printOnce(looking, context, config.tz, args.on)
      return 0
    }
    await watchOn(looking, context, settings, config)
    return 0
  } finally {
    await looking.close()
  }
}

async function printOnce(
  looking: Looking,
  { out, clock }: CliContext,
  tz: string,
  on: ReadonlySet<string>
): Promise<void> {
  const overview = await looking.look()
  if (on.has('quiet')) return
  if (on.has('json')) {
    const { runs, queues, ...rest } = overview
    const named = queues.map(({ name, running, queued }) => ({ name, running: running.length, queued: queued.length }))
    out.write(`${JSON.stringify({ ...rest, queues: named, dagRuns: runs })}\n`)
    return
  }
  const screen = {
    columns: 200,
    rows: overview.runs.length + 20,
    now: clock.now(),
    time: clockFace(tz),
    isOnce: true as const
  }
  const lines = screenLines({ ...START, overview }, { ...screen, paint: (_style, text) => text }).slice(0, -1)
  const marked = lines.map((line) => line.replace(/^>/, ' ').trimEnd())
  out.write(`${marked.join('\n').trimEnd()}\n`)
}

async function watchOn(
  looking: Looking,
  context: CliContext,
  settings: Settings,
  {
    environment,
    tz,
    logCharset: charset
  }: Pick<ReturnType<CliContext['configure']>, 'environment' | 'tz' | 'logCharset'>
): Promise<void> {
  const { clock, out } = context
  const paint = paintFor(out.isTTY, environment)
  const time = clockFace(tz)
  const enough = new AbortController()
  let state: State = START
  let log: RunLog | undefined
  const terminal = openTerminal(
    context,
    (key) => {
      const [next, act] = pressed(state, key, pageOf(state, terminal))
      state = next
      if (act) void perform(act)
      draw()
    },
    () => draw()
  )
  const release = context.onSignal(() => enough.abort())

  function draw(): void {
    if (enough.signal.aborted) return
    const { columns, rows } = terminal
    terminal.draw(screenLines(state, { columns, rows, now: clock.now(), time, paint }))
  }
  function say(message: string): void {
    state = { ...state, message: oneLine(message) }
    draw()
  }
  async function perform(act: Act): Promise<void> {
    if (act === 'quit') return enough.abort()
    if (act === 'close log') return closeLog()
    if (act === 'open log') return openLog()
    const { client } = looking
    const { key } = act
    try {
      if (!client || client.here) return say(`nobody could ${act.act} it: no engine is there`)
      if (act.act === 'stop') await stopped(client, key.name, key.dagRunId)
      else await client.acts.retryRun({ path: { name: key.name, dagRunId: key.dagRunId } })
      say(`${act.act === 'stop' ? 'stopping' : 'retrying'} run ${key.dagRunId} of ${key.name}`)
    } catch (error) {
      say(messageOf(error))
    }
  }
  function closeLog(): void {
    log?.close()
    log = undefined
  }
  function openLog(): void {
    const key = state.log?.key
    if (!key) return
    const opened = openRunLog(() => openToRead(context, settings), key, {
      context,
      charset,
      changed: () => show(opened, false)
    })
    log = opened
    opened.done.then(
      () => show(opened, true),
      (error) => say(messageOf(error))
    )
  }
  /** A reader who has scrolled up stays there. */
  function show(opened: RunLog, isOver: boolean): void {
    if (log !== opened || !state.log) return
    const grown = opened.lines.length - state.log.lines.length
    const back = state.log.back > 0 ? Math.max(0, state.log.back + grown) : 0
    state = { ...state, log: { ...state.log, lines: [...opened.lines], back, isOver } }
    draw()
  }

  try {
    draw()
    while (!enough.signal.aborted) {
      try {
        state = { ...state, overview: await looking.look(), trouble: '' }
      } catch (error) {
        state = { ...state, trouble: `${messageOf(error)}; looking again` }
      }
      draw()
      await pause(clock, LOOK_MS, enough.signal)
    }
  } finally {
    closeLog()
    release()
    terminal.close()
  }
}
