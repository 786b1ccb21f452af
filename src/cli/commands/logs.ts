/** `troupe logs`: what the steps of a run have written; with --follow until it has ended. Our addition, see docs/cli.md. */
import { existsSync } from 'node:fs'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Arguments, CommandRoom } from '../input/command.ts'
import { positive, settingsOf } from '../input/flags.ts'
import { runGiven, stepNamed } from '../input/run-given.ts'
import { atAttempt } from '../output/attempt.ts'
import type { Listener, OutputStep, Stream } from '../output/listener.ts'
import { jsonLines, plainLines, printed } from '../output/printed.ts'
import { runOutput } from '../output/run-output.ts'
import { openToRead } from '../owner/open-door.ts'
import type { OpenDoor } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import { wordOf } from '../view/paint.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { out, err, clock, configure } = surroundings
  const settings = settingsOf(args)
  const { logCharset: charset } = configure(settings)
  const streams = streamsOf(args)
  const attempt = positive(args, 'attempt')
  const follows = args.on.has('follow')
  if (follows && attempt !== undefined)
    throw new TroupeError('bad_request', 'logs: wanted --follow or --attempt, found both: what is over does not grow')
  const isQuiet = args.on.has('quiet')
  const door = await openToRead(surroundings, settings)
  try {
    const found = await runGiven(args, surroundings, door)
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
    const options = { door, key, clock, charset, which: 'all' as const, listener: { lines } }
    const output = runOutput({ ...options, streams, wants: wants.step, raw: isJson })
    void out.left?.then(output.stop)
    if (!follows || view.run.finishedAt !== undefined) await output.tell(view)
    else if (door.here) {
      await output.tell(view)
      err.write(`${NOBODY}\n`)
    } else await Promise.race([output.follow().then((ended) => output.end(ended)), ...(out.left ? [out.left] : [])])
    if (isEmpty && gone.length === 0) err.write(`${await nothingIn(args.step, key, door)}\n`)
    return 0
  } finally {
    await door.close()
  }
}

/** Why there is nothing to see: most of all a run that waits, or one whose preconditions did not hold. */
async function nothingIn(step: string, { name, dagRunId }: RunKey, door: OpenDoor): Promise<string> {
  const status = (await door.run(name, dagRunId))?.run.status ?? 'not_started'
  const who = step === '' ? 'its steps have' : `${oneLine(step)} has`
  return `${who} written nothing: run ${dagRunId} of ${oneLine(name)} is ${wordOf(status)}`
}

/** Steps that have run and have no logs any more. Retention removes whole runs: somebody has taken these away. */
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
 * Which steps: all, or one with the steps of what it calls; `build/compile` is a step of what `build` calls.
 * @returns `exact`: one step alone, whose lines need no name in front
 * @throws TroupeError not_found
 */
function wanted(given: string, view: RunView): { exact: boolean; step(of: OutputStep): boolean } {
  if (given === '') return { exact: false, step: () => true }
  const step = stepNamed(given, view)
  const isBelow = (label: string) => label.startsWith(`${given}/`) || label.startsWith(`${given}#`)
  return { exact: step.call === undefined, step: ({ label }) => label === given || isBelow(label) }
}
