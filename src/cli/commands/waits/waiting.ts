/** `troupe waiting`: the steps that wait for a signal or an approval. Source: embedding 2.5; our addition, see docs/cli.md. */
import { nameProblem } from '../../../api/rules/names.ts'
import type { OperationResult } from '../../../client/index.ts'
import type { CommandModule } from '../../input/command.ts'
import { show } from '../../owner/answer.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { tableLines, type Yield } from '../../view/table.ts'
import { durationText, idIn, instant, oneLine } from '../../view/text.ts'

const AT_A_TIME = 1_000

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ client, paint, now, room, write }) => {
    const waiting = await gathered(client, { name: args.operand || undefined, step: args.text.step })
    const rows = waiting.map((found) => cellsOf(found, now(), room))
    const lines = () => (rows.length === 0 ? [] : tableLines(HEAD, rows, paint, room, YIELDS))
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

const HEAD = ['name', 'run', 'step', 'waits for', 'since', 'left', 'question']
/** Name, run and step stay. */
const YIELDS: readonly Yield[] = [
  [6, 10],
  [5, 0],
  [4, 0],
  [0, 12],
  [2, 12],
  [6, 0],
  [3, 0],
  [0, 8],
  [2, 8]
]

function cellsOf({ name, dagRunId, step, waitingFor }: WaitingStep, now: number, room: number): string[] {
  const { for: kind, ask, since } = waitingFor
  const until = instant(waitingFor.until)
  return [
    oneLine(name),
    idIn(room, dagRunId),
    oneLine(step),
    kind,
    durationText(now - Date.parse(since)),
    until === undefined ? '' : durationText(until - now),
    oneLine(ask ?? '')
  ]
}
