/** `troupe deliveries`: events that wait for a target of `notify`, and dead letters. Source: docs/notifications.md "Dead letters". */
import type { Client } from '../../../client/index.ts'
import { TroupeError } from '../../../errors.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { positive, settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn } from '../../view/table.ts'
import { counted } from '../../view/text.ts'
import { deliveryLines, targetLines } from './delivery-rows.ts'

const PART = 100
/** As many as the API gives in one answer. */
const MOST = 1_000

export const run: CommandModule['run'] = async (args, context) => {
  const change = changeIn(args)
  const limit = positive(args, 'limit', MOST) ?? PART
  const settings = settingsOf(args)
  const { out, err, clock } = context
  const { environment } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    if (change) return await changed(client.api, change)
    const { target } = args.text
    const filter = { ...(args.on.has('failed') ? { state: 'dead' as const } : {}), ...(target ? { target } : {}) }
    const answer = await client.api.listDeliveries({ query: { ...filter, limit } })
    const { targets, deliveries, nextCursor } = answer
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify(answer)}\n`)
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    const lines = [
      ...targetLines(targets, paint, roomIn(out)),
      ...deliveryLines(deliveries, paint, clock.now(), roomIn(out))
    ]
    out.write(`${lines.join('\n') || 'notify has no targets, and nothing waits'}\n`)
    if (nextCursor !== null)
      err.write(limit < MOST ? `there are more: --limit ${MOST} shows them\n` : 'there are more\n')
    return 0
  } finally {
    await client.close()
  }

  async function changed(api: Client, { how, target: targetName, id }: Change): Promise<number> {
    const path = { targetName }
    const { count } = await (how === 'retry'
      ? api.retryDeliveries({ path, body: { id: id ?? null } })
      : api.removeDeliveries({ path, query: { id } }))
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) out.write(`${JSON.stringify({ count })}\n`)
    else {
      const letters = counted(count, 'dead letter')
      out.write(`${letters} for ${targetName}: ${how === 'retry' ? 'delivered again' : 'removed'}\n`)
    }
    return 0
  }
}

interface Change {
  how: 'retry' | 'remove'
  target: string
  id?: string
}

/** Undefined: they are to be listed. @throws TroupeError bad_request with every problem */
function changeIn({ operands: [how = '', target = '', id = ''], text, on }: Arguments): Change | undefined {
  if (how === '') return undefined
  const foreign = [...Object.keys(text), ...on].filter((flag) => /^(failed|target|limit)$/.test(flag))
  const isKnown = how === 'retry' || how === 'remove'
  const problems = [
    ...(isKnown ? [] : [`wanted retry or remove, found ${JSON.stringify(how)}`]),
    ...(target === '' ? ['wanted the name of a target, found none; troupe deliveries lists them'] : []),
    ...foreign.map((flag) => `--${flag} does not belong to ${how}`)
  ]
  if (problems.length > 0 || !isKnown) throw new TroupeError('bad_request', `deliveries: ${problems.join('; ')}`)
  return { how, target, ...(id === '' ? {} : { id }) }
}
