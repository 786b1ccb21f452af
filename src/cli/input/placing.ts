/** When a run may start, before which others, and once for each key: flags of `start` and `enqueue` as fields of the request. */
import { TroupeError } from '../../errors.ts'
import type { Arguments } from './command.ts'

/** @throws TroupeError bad_request */
export function placingOf({ text }: Arguments): { at?: string; priority?: number; idempotencyKey?: string } {
  const { at, priority, 'idempotency-key': idempotencyKey } = text
  if (priority !== undefined && !/^-?\d{1,4}$/.test(priority))
    throw new TroupeError(
      'bad_request',
      `--priority: wanted an integer from -1000 to 1000, found ${JSON.stringify(priority)}`
    )
  return {
    ...(at === undefined ? {} : { at }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  }
}
