/** `troupe decisions`: the scheduler's decisions about scheduled minutes, for one definition or all. Source: execution-semantics 11; docs/scheduling.md. */
import type { OperationResult } from '../../../client/index.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { positive } from '../../input/flags.ts'
import { show } from '../../owner/answer.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { decisionLines } from '../../view/inspection.ts'

const LIMIT = 20

export const run: CommandModule['run'] = async (args, context) => {
  const limit = positive(args, 'limit') ?? LIMIT
  const before = positive(args, 'before')
  return show(args, context, async ({ client, paint, tz, write }) => {
    const fileName = fileNameOf(args.operand) || undefined
    const found = await gathered(client, { fileName, before, limit })
    write(found, () => decisionLines(found, paint, tz), 'no scheduled minute has been decided')
  })
}

/** Asks page by page: one answer is limited. */
async function gathered(
  { api }: OpenClient,
  { fileName, before, limit }: { fileName: string | undefined; before: number | undefined; limit: number }
): Promise<OperationResult<'listDecisions'>> {
  const decisions: OperationResult<'listDecisions'>['decisions'] = []
  for (let from = before; ; ) {
    const part = await api.listDecisions({ query: { fileName, before: from, limit: limit - decisions.length } })
    for (const decision of part.decisions) decisions.push(decision)
    const { next } = part
    if (next === null || decisions.length >= limit) return { next, decisions }
    from = next
  }
}
