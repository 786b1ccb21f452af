/** `troupe waiting`: the steps that wait for a signal or an approval. Source: embedding 2.5; our addition, see docs/cli.md. */
import { nameProblem } from '../../../api/rules/names.ts'
import type { OperationResult } from '../../../client/index.ts'
import type { CommandModule } from '../../input/command.ts'
import { show } from '../../owner/answer.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { durationText, instant, oneLine } from '../../view/text.ts'

const AT_A_TIME = 1_000

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ client, now, write }) => {
    const waiting = await gathered(client, { name: args.operand || undefined, step: args.text.step })
    const lines = () => waiting.map((found) => lineOf(found, now()))
    write({ waiting }, lines, 'no step waits for a signal or an approval')
  })

type WaitingStep = OperationResult<'listWaiting'>['waiting'][number]

/** Asks part by part. */
async function gathered(
  { api }: OpenClient,
  filter: { name: string | undefined; step: string | undefined }
): Promise<WaitingStep[]> {
  const found: WaitingStep[] = []
  if (filter.name !== undefined && nameProblem('', filter.name)) return found // no run has such a name
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = await api.listWaiting({ query: { ...filter, limit: AT_A_TIME, cursor } })
    for (const step of part.waiting) found.push(step)
    cursor = part.nextCursor
  }
  return found
}

function lineOf({ name, dagRunId, step, waitingFor }: WaitingStep, now: number): string {
  const { for: kind, ask, since } = waitingFor
  const until = instant(waitingFor.until)
  const left = until === undefined ? '' : `, ${durationText(until - now)} left`
  const words = [name, dagRunId, step, kind, `since ${durationText(now - Date.parse(since))}${left}`, ask]
  return oneLine(words.filter(Boolean).join('  '))
}
