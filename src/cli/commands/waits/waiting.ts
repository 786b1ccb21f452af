/** `troupe waiting`: the steps that wait for a signal or an approval. Source: embedding 2.5; our addition, see docs/cli.md. */
import type { WaitingStep } from '../../../engine/engine.ts'
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import { durationText, oneLine } from '../../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { tz } = context.configure(settings)
  const { step } = args.text
  const client = await openToRead(context, settings)
  try {
    const waiting = await client.waiting({
      ...(args.operand ? { dag: args.operand } : {}),
      ...(step === undefined ? {} : { step })
    })
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const [{ waitingShape }, { timeTextIn }] = await Promise.all([
        import('../../../api/shapes/wait-shapes.ts'),
        import('../../../api/shapes/time-text.ts')
      ])
      const time = timeTextIn(tz)
      out.write(`${JSON.stringify({ waiting: waiting.map((found) => waitingShape(found, time)) })}\n`)
      return 0
    }
    out.write(
      `${waiting.map((found) => lineOf(found, clock.now())).join('\n') || 'no step waits for a signal or an approval'}\n`
    )
    return 0
  } finally {
    await client.close()
  }
}

function lineOf({ run, step, for: kind, ask, since, until }: WaitingStep, now: number): string {
  const left = until === undefined ? '' : `, ${durationText(until - now)} left`
  const words = [run.name, run.dagRunId, step, kind, `since ${durationText(now - since)}${left}`, ask]
  return oneLine(words.filter(Boolean).join('  '))
}
