/** `troupe deliveries`: events that wait for a target of `notify`, and dead letters. Source: docs/notifications.md "Dead letters". */
import { TroupeError } from '../../../errors.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { positive } from '../../input/flags.ts'
import { show } from '../../owner/answer.ts'
import { counted } from '../../view/text.ts'
import { deliveryLines, targetLines } from './delivery-rows.ts'

const PART = 100
/** As many as the API gives in one answer. */
const MOST = 1_000

export const run: CommandModule['run'] = async (args, context) => {
  const change = changeIn(args)
  const limit = positive(args, 'limit', MOST) ?? PART
  return show(args, context, async ({ api, paint, now, room, write }) => {
    if (change) {
      const { how, target: targetName, id } = change
      const path = { targetName }
      const { count } = await (how === 'retry'
        ? api.retryDeliveries({ path, body: { id: id ?? null } })
        : api.removeDeliveries({ path, query: { id } }))
      const letters = counted(count, 'dead letter')
      return write({ count }, () => [
        `${letters} for ${targetName}: ${how === 'retry' ? 'delivered again' : 'removed'}`
      ])
    }
    const { target } = args.text
    const filter = { ...(args.on.has('failed') ? { state: 'dead' as const } : {}), ...(target ? { target } : {}) }
    const answer = await api.listDeliveries({ query: { ...filter, limit } })
    const { targets, deliveries, nextCursor } = answer
    const lines = () => targetLines(targets, paint, room).concat(deliveryLines(deliveries, paint, now(), room))
    write(answer, lines, 'notify has no targets, and nothing waits')
    if (nextCursor !== null && !args.on.has('quiet') && !args.on.has('json'))
      context.err.write(limit < MOST ? `there are more: --limit ${MOST} shows them\n` : 'there are more\n')
  })
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
