/** `troupe logs`: the output of the steps of a run; with --follow until it has ended. Our addition, see docs/cli.md. */
import { existsSync } from 'node:fs'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import { mustHaveAttempt } from '../../engine/views/at-attempt.ts'
import { TroupeError } from '../../errors.ts'
import { NOBODY } from '../foreground/waiting-run.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { positive, settingsOf } from '../input/flags.ts'
import { requestedRun, stepNamed } from '../input/requested-run.ts'
import { instantOf } from '../input/run-filter.ts'
import type { Listener, OutputStep, Stream } from '../output/listener.ts'
import { outputOf } from '../output/open-output.ts'
import { jsonLines, printed } from '../output/printed.ts'
import { tailOf } from '../output/tail.ts'
import { runOf } from '../owner/known-runs.ts'
import { openToRead } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import { paintFor, shownStatus, wordOf } from '../view/paint.ts'
import { clockFace, oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, clock, configure } = context
  const settings = settingsOf(args)
  const { logCharset: charset, environment, tz } = configure(settings)
  const streams = streamsOf(args)
  const since = sinceOf(args, clock.now())
  const attempt = positive(args, 'attempt')
  const most = positive(args, 'tail')
  const follows = args.on.has('follow')
  if (follows && attempt !== undefined)
    throw new TroupeError(
      'bad_request',
      'logs: wanted --follow or --attempt, found both: a finished attempt does not grow'
    )
  const isQuiet = args.on.has('quiet')
  const client = await openToRead(context, settings)
  try {
    const run = await requestedRun(args, context, client)
    if (attempt !== undefined) mustHaveAttempt(run, attempt, '--attempt')
    const steps = args.operands.slice(1)
    const wants = wanted(steps, run)
    const isJson = args.on.has('json')
    const paint = paintFor(out.isTTY, environment)
    const time = args.on.has('times') ? clockFace(tz) : undefined
    const listener = isJson
      ? jsonLines(out, clock.now)
      : printed(out, { paint, time, isBare: wants.exact, now: clock.now })
    if (isQuiet) return 0
    let isEmpty = true
    const lines: Listener['lines'] = (...said) => {
      isEmpty = false
      return listener.lines(...said)
    }
    const { name, dagRunId } = run
    const key: RunKey = { name, dagRunId }
    const gone = client.isElsewhere || attempt !== undefined ? [] : withoutLogs(run, wants.step)
    for (const name of gone) err.write(`the logs of ${oneLine(name)} are gone\n`)
    const say = (text: string) => void err.write(`${text}\n`)
    const tail = most === undefined ? undefined : tailOf(most, lines)
    const told = { lines: tail?.lines ?? lines }
    const options = { client, key, clock, charset, which: 'all' as const, listener: told, attempt, say }
    const output = outputOf({ ...options, streams, wants: wants.step, raw: isJson })
    void out.left?.then(output.stop)
    const goesOn = follows && run.finishedAt === '' && !client.here
    await output.print(run, { goesOn, since })
    await tail?.pass()
    if (goesOn) {
      const followed = output.follow().then((ended) => ended && output.end(ended))
      await Promise.race([followed, ...(out.left ? [out.left] : [])])
    } else if (follows && run.finishedAt === '') err.write(`${NOBODY}\n`)
    if (isEmpty && gone.length === 0) err.write(`${await nothingIn(steps, key, client, since)}\n`)
    return 0
  } finally {
    await client.close()
  }
}

/** Why there is no output: usually the run waits, or its preconditions did not hold. */
async function nothingIn(
  steps: readonly string[],
  { name, dagRunId }: RunKey,
  client: OpenClient,
  since: number | undefined
): Promise<string> {
  const status = shownStatus((await runOf(client.api, { name, dagRunId }))?.statusLabel ?? '')
  const [first = ''] = steps
  const who = steps.length === 1 ? `${oneLine(first)} has` : steps.length === 0 ? 'its steps have' : 'they have'
  return `${who} written nothing${since === undefined ? '' : ' since then'}: run ${dagRunId} of ${oneLine(name)} is ${wordOf(status)}`
}

/** Steps that have run but whose logs are gone. Retention removes whole runs, so someone deleted these. */
function withoutLogs(run: RunDetails, wants: (of: OutputStep) => boolean): string[] {
  return nodesOf(run).flatMap(({ step: { name }, exitCode = -1, stdout, stderr }) => {
    const isWanted = wants({ run, step: name, label: oneLine(name), top: name })
    return exitCode >= 0 && isWanted && stdout && stderr && !existsSync(stdout) && !existsSync(stderr) ? [name] : []
  })
}

/** Second since the epoch. @throws TroupeError bad_request */
function sinceOf({ text: { since } }: Arguments, now: number): number | undefined {
  return since === undefined ? undefined : Math.floor(instantOf('since', since, now) / 1000)
}

/** @throws TroupeError bad_request */
function streamsOf({ text: { stream }, on }: Arguments): readonly Stream[] {
  if (on.has('stderr') && stream !== undefined && stream !== 'stderr')
    throw new TroupeError('bad_request', `logs: wanted --stderr or --stream ${stream}, found both`)
  if (on.has('stderr')) return ['stderr']
  if (stream === undefined) return ['stdout', 'stderr']
  if (stream === 'stdout' || stream === 'stderr') return [stream]
  throw new TroupeError('bad_request', `logs: --stream: wanted stdout or stderr, found ${JSON.stringify(stream)}`)
}

/**
 * Selects steps: all, or those named with the steps of their sub DAG runs; `build/compile` is a step of the run that `build` calls.
 * @returns `exact`: a single step, whose lines need no label
 * @throws TroupeError not_found
 */
function wanted(names: readonly string[], run: RunDetails): { exact: boolean; step(of: OutputStep): boolean } {
  if (names.length === 0) return { exact: false, step: () => true }
  const steps = names.map((name) => stepNamed(name, run))
  const isIn = (label: string) => (name: string) =>
    label === name || label.startsWith(`${name}/`) || label.startsWith(`${name}#`)
  const exact = steps.length === 1 && steps[0]?.call === undefined
  return { exact, step: ({ label }) => names.some(isIn(label)) }
}
