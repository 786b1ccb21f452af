/** `troupe waiting`: the steps that wait for a signal or an approval. Source: embedding 2.5; our addition, see docs/cli.md. */
import { nameProblem } from '../../../api/rules/names.ts'
import type { OperationResult } from '../../../client/index.ts'
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn, tableLines, type Yield } from '../../view/table.ts'
import { durationText, idIn, instant, oneLine } from '../../view/text.ts'

const AT_A_TIME = 1_000

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment } = context.configure(settings)
  const { step } = args.text
  const client = await openToRead(context, settings)
  try {
    const waiting = await gathered(client, { name: args.operand || undefined, step })
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify({ waiting })}\n`)
      return 0
    }
    const room = roomIn(out)
    const rows = waiting.map((found) => cellsOf(found, clock.now(), room))
    const lines = rows.length === 0 ? [NONE] : tableLines(HEAD, rows, paintFor(out.isTTY, environment), room, YIELDS)
    out.write(`${lines.join('\n')}\n`)
    return 0
  } finally {
    await client.close()
  }
}

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

const NONE = 'no step waits for a signal or an approval'
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
