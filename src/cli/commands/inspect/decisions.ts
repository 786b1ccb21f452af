/** `troupe decisions`: the scheduler's decisions about scheduled minutes, for one definition or all. Source: execution-semantics 11; docs/scheduling.md. */
import { decisionsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import type { DecisionsPart } from '../../../engine/engine.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { positive, settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { decisionLines } from '../../view/inspection.ts'
import { paintFor } from '../../view/paint.ts'

const LIMIT = 20

export const run: CommandModule['run'] = async (args, context) => {
  const { out } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const limit = positive(args, 'limit') ?? LIMIT
  const before = positive(args, 'before')
  const client = await openToRead(context, settings)
  try {
    const fileName = fileNameOf(args.operand) || undefined
    const found = await gathered(client, { fileName, before, limit })
    if (args.on.has('quiet')) return 0
    const lines = args.on.has('json')
      ? [JSON.stringify(decisionsShape(found, timeTextIn(tz)))]
      : decisionLines(found, paintFor(out.isTTY, environment), tz)
    out.write(`${lines.join('\n') || 'no scheduled minute has been decided'}\n`)
    return 0
  } finally {
    await client.close()
  }
}

/** Asks page by page: one answer is limited. */
async function gathered(
  { facts }: OpenClient,
  { fileName, before, limit }: { fileName: string | undefined; before: number | undefined; limit: number }
): Promise<DecisionsPart> {
  const decisions: DecisionsPart['decisions'] = []
  for (let from = before; ; ) {
    const part = await facts.decisions({ fileName, before: from, limit: limit - decisions.length })
    for (const decision of part.decisions) decisions.push(decision)
    if (part.next === undefined) return { decisions }
    if (decisions.length >= limit) return { decisions, next: part.next }
    from = part.next
  }
}
