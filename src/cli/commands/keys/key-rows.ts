/** API keys as the rows of a table. Source: docs/cli.md "API keys". */
import type { AccessKey } from '../../../engine/engine.ts'
import type { Paint, Style } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { durationText, oneLine } from '../../view/text.ts'

const HEAD = ['key', 'status', 'role', 'used', 'made', 'by', 'rules']
const STYLES: Record<AccessKey['status'], Style> = { active: 'green', expired: 'faint', revoked: 'faint' }

/** @param now epoch ms @param room columns that there are */
export const keyLines = (keys: readonly AccessKey[], paint: Paint, now: number, room?: number): string[] =>
  tableLines(
    HEAD,
    keys.map((key) => cellsOf(key, now)),
    paint,
    room
  )

function cellsOf(key: AccessKey, now: number): Cell[] {
  const { name, status, role, rules, createdAt, createdBy, lastUsedAt } = key
  return [
    name,
    { text: standingOf(key, now), style: STYLES[status] },
    role,
    lastUsedAt === undefined ? 'never' : agoOf(lastUsedAt, now),
    agoOf(createdAt, now),
    oneLine(createdBy),
    oneLine(rules.map(ruleText).join('; '))
  ]
}

/** As `--rule` takes it. */
const ruleText = ({ may, ...lists }: AccessKey['rules'][number]) =>
  [may, ...Object.entries(lists).map(([list, patterns]) => `${list}=${patterns.join(',')}`)].join(' ')

function standingOf({ status, expiresAt, revokedAt }: AccessKey, now: number): string {
  if (revokedAt !== undefined) return `revoked ${agoOf(revokedAt, now)}`
  if (expiresAt === undefined) return status
  return status === 'active' ? `ends in ${spanText(expiresAt - now)}` : `expired ${agoOf(expiresAt, now)}`
}

const agoOf = (at: number, now: number) => `${spanText(Math.max(0, now - at))} ago`

const DAY_MS = 24 * 3_600_000

/** Keys live for months: beyond two days, days are enough. */
const spanText = (ms: number) => (ms < 2 * DAY_MS ? durationText(ms) : `${Math.floor(ms / DAY_MS)}d`)
