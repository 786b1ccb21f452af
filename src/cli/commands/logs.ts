/** `troupe logs`: the output of the steps of a run; with --follow until it has ended. Our addition, see docs/cli.md. */
import { existsSync } from 'node:fs'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { positive, settingsOf } from '../input/flags.ts'
import { requestedRun, stepNamed } from '../input/requested-run.ts'
import { atAttempt } from '../output/attempt.ts'
import type { Listener, OutputStep, Stream } from '../output/listener.ts'
import { jsonLines, plainLines, printed } from '../output/printed.ts'
import { runOutput } from '../output/run-output.ts'
import { openToRead } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import { wordOf } from '../view/paint.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, clock, configure } = context
  const settings = settingsOf(args)
  const { logCharset: charset } = configure(settings)
  const streams = streamsOf(args)
  const attempt = positive(args, 'attempt')
  const follows = args.on.has('follow')
  if (follows && attempt !== undefined)
    throw new TroupeError(
      'bad_request',
      'logs: wanted --follow or --attempt, found both: a finished attempt does not grow'
    )
  const isQuiet = args.on.has('quiet')
  const client = await openToRead(context, settings)
  try {
    const found = await requestedRun(args, context, client)
    const view = attempt === undefined ? found : atAttempt(found, attempt)
    const wants = wanted(args.step, view)
    const isJson = args.on.has('json')
    const listener = isJson ? jsonLines(out) : wants.exact ? plainLines(out) : printed(out)
    if (isQuiet) return 0
    let isEmpty = true
    const lines: Listener['lines'] = (...said) => {
      isEmpty = false
      return listener.lines(...said)
    }
    const { name, dagRunId } = view.run
    const key: RunKey = { name, dagRunId }
    const gone = withoutLogs(view, wants.step)
    for (const name of gone) err.write(`the logs of ${oneLine(name)} are gone\n`)
    const options = { client, key, clock, charset, which: 'all' as const, listener: { lines } }
    const output = runOutput({ ...options, streams, wants: wants.step, raw: isJson })
    void out.left?.then(output.stop)
    if (!follows || view.run.finishedAt !== undefined) await output.print(view)
    else if (client.here) {
      await output.print(view)
      err.write(`${NOBODY}\n`)
    } else await Promise.race([output.follow().then((ended) => output.end(ended)), ...(out.left ? [out.left] : [])])
    if (isEmpty && gone.length === 0) err.write(`${await nothingIn(args.step, key, client)}\n`)
    return 0
  } finally {
    await client.close()
  }
}

/** Why there is no output: usually the run waits, or its preconditions did not hold. */
async function nothingIn(step: string, { name, dagRunId }: RunKey, client: OpenClient): Promise<string> {
  const status = (await client.run(name, dagRunId))?.run.status ?? 'not_started'
  const who = step === '' ? 'its steps have' : `${oneLine(step)} has`
  return `${who} written nothing: run ${dagRunId} of ${oneLine(name)} is ${wordOf(status)}`
}

/** Steps that have run but whose logs are gone. Retention removes whole runs, so someone deleted these. */
function withoutLogs(view: RunView, wants: (of: OutputStep) => boolean): string[] {
  const { run } = view
  return nodesOf(view).flatMap(({ step: { name }, node: { exitCode = -1, stdout, stderr } }) => {
    const isWanted = wants({ run, step: name, label: oneLine(name), top: name })
    return exitCode >= 0 && isWanted && stdout && stderr && !existsSync(stdout) && !existsSync(stderr) ? [name] : []
  })
}

const NOBODY = 'no engine is running on this home, so the run does not continue (troupe start-all continues it)'

/** @throws TroupeError bad_request */
function streamsOf({ text: { stream } }: Arguments): readonly Stream[] {
  if (stream === undefined) return ['stdout', 'stderr']
  if (stream === 'stdout' || stream === 'stderr') return [stream]
  throw new TroupeError('bad_request', `logs: --stream: wanted stdout or stderr, found ${JSON.stringify(stream)}`)
}

/**
 * Selects steps: all, or one with the steps of its sub DAG runs; `build/compile` is a step of the run that `build` calls.
 * @returns `exact`: a single step, whose lines need no label
 * @throws TroupeError not_found
 */
function wanted(passed: string, view: RunView): { exact: boolean; step(of: OutputStep): boolean } {
  if (passed === '') return { exact: false, step: () => true }
  const step = stepNamed(passed, view)
  const isBelow = (label: string) => label.startsWith(`${passed}/`) || label.startsWith(`${passed}#`)
  return { exact: step.call === undefined, step: ({ label }) => label === passed || isBelow(label) }
}
