/** `troupe deliveries`: events that wait for a target of `notify`, and dead letters. Source: docs/notifications.md "Dead letters". */
import type { EngineClient } from '../../../api/owner/engine-client.ts'
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
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    if (change) return await changed(client, change)
    const { target } = args.text
    const filter = { ...(args.on.has('failed') ? { state: 'dead' as const } : {}), ...(target ? { target } : {}) }
    const { targets, deliveries, next } = await client.deliveries(filter, limit)
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const [{ deliveryShape, targetShape }, { timeTextIn }] = await Promise.all([
        import('../../../api/shapes/home/delivery-shapes.ts'),
        import('../../../api/shapes/time-text.ts')
      ])
      const shown = deliveries.map((one) => deliveryShape(one, timeTextIn(tz)))
      out.write(
        `${JSON.stringify({ targets: targets.map(targetShape), deliveries: shown, nextCursor: next ?? null })}\n`
      )
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    const lines = [
      ...targetLines(targets, paint, roomIn(out)),
      ...deliveryLines(deliveries, paint, clock.now(), roomIn(out))
    ]
    out.write(`${lines.join('\n') || 'notify has no targets, and nothing waits'}\n`)
    if (next !== undefined)
      err.write(limit < MOST ? `there are more: --limit ${MOST} shows them\n` : 'there are more\n')
    return 0
  } finally {
    await client.close()
  }

  async function changed(client: EngineClient, { how, target, id }: Change): Promise<number> {
    const count = await client.changeDeliveries(how, target, id)
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) out.write(`${JSON.stringify({ count })}\n`)
    else {
      const letters = counted(count, 'dead letter')
      out.write(how === 'retry' ? `${letters} for ${target}: delivered again\n` : `${letters} for ${target}: removed\n`)
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
