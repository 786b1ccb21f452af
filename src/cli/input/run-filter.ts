/** Which runs `troupe runs` lists, from its flags. Source: api-semantics 3.6. */
import { instantIn } from '../../../machines/policy/instant.ts'
import { RUN_STATUSES, TRIGGER_TYPES, WAITS } from '../../../machines/vocabulary/lists.ts'
import { durationOf } from '../../api/input/duration.ts'
import type { RunFilter } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Arguments } from './command.ts'
import { positive } from './flags.ts'

const DEFAULT_LIMIT = 20
const MOST = 1_000

/** @param now epoch ms, for durations such as `24h` @throws TroupeError bad_request */
export function runFilterOf({ operand, text }: Arguments, now: number): RunFilter {
  const { status, waiting, trigger, by, params, tag, id } = text
  return {
    ...(operand === '' ? {} : { name: operand }),
    ...(status === undefined ? {} : { status: wordsOf('status', status, RUN_STATUSES) }),
    ...(waiting === undefined ? {} : { waitingFor: wordsOf('waiting', waiting, WAITS) }),
    ...(trigger === undefined ? {} : { trigger: wordsOf('trigger', trigger, TRIGGER_TYPES) }),
    ...(by === undefined ? {} : { byContains: by }),
    ...(params === undefined ? {} : { paramContains: params }),
    ...(tag === undefined ? {} : { tags: tag.split(',').map((one) => one.trim().toLowerCase()) }),
    ...(id === undefined ? {} : { idContains: id }),
    ...periodOf(text, now)
  }
}

/** @throws TroupeError bad_request */
export const limitOf = (args: Arguments): number => positive(args, 'limit', MOST) ?? DEFAULT_LIMIT

function wordsOf<W extends string>(flag: string, text: string, known: readonly W[]): W[] {
  return text.split(',').map((word) => {
    const found = known.find((one) => one === word.trim())
    if (found !== undefined) return found
    const hint = didYouMean(word.trim(), known) || `; wanted any of ${known.join(', ')}`
    throw new TroupeError('bad_request', `--${flag}: found ${JSON.stringify(word)}${hint}`)
  })
}

/** From `--since` and `--until`, epoch ms. @throws TroupeError bad_request */
export const periodOf = ({ since, until }: Arguments['text'], now: number): Pick<RunFilter, 'from' | 'to'> => ({
  ...(since === undefined ? {} : { from: instantOf('since', since, now) }),
  ...(until === undefined ? {} : { to: instantOf('until', until, now) })
})

/** How long ago, or a date, in the zone of the process where it names none. */
export function instantOf(flag: string, text: string, now: number): number {
  const days = /^(\d{1,5})d$/.exec(text)
  const ago = days ? Number(days[1]) * DAY_MS : durationOf(text)
  const at = ago === undefined ? instantIn(text) : now - ago
  if (Number.isFinite(at)) return Math.max(0, at)
  throw new TroupeError(
    'bad_request',
    `--${flag}: wanted how long ago, such as 24h or 7d, or a time such as 2026-03-01T18:00, found ${JSON.stringify(text)}`
  )
}
const DAY_MS = 86_400_000
