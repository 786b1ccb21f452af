/** API keys as the rows of a table. Source: docs/cli.md "API keys". */
import type { ApiKey } from '../../../client/index.ts'
import type { Paint, Style } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { durationText, oneLine } from '../../view/text.ts'

const HEAD = ['key', 'status', 'role', 'used', 'made', 'by', 'rules']
const STYLES: Record<ApiKey['status'], Style> = { active: 'green', expired: 'faint', revoked: 'faint' }

/** @param now epoch ms @param room columns that there are */
export const keyLines = (keys: readonly ApiKey[], paint: Paint, now: number, room?: number): string[] =>
  tableLines(
    HEAD,
    keys.map((key) => cellsOf(key, now)),
    paint,
    room
  )

function cellsOf(key: ApiKey, now: number): Cell[] {
  const { name, status, role, rules, createdAt, createdBy, lastUsedAt } = key
  return [
    name,
    { text: standingOf(key, now), style: STYLES[status] },
    role,
    lastUsedAt === '' ? 'never' : agoOf(lastUsedAt, now),
    agoOf(createdAt, now),
    oneLine(createdBy),
    oneLine(rules.map(ruleText).join('; '))
  ]
}

/** As `--rule` takes it. */
const ruleText = ({ may, ...lists }: ApiKey['rules'][number]) =>
  [may, ...Object.entries(lists).map(([list, patterns]) => `${list}=${patterns.join(',')}`)].join(' ')

function standingOf({ status, expiresAt, revokedAt }: ApiKey, now: number): string {
  if (revokedAt !== '') return `revoked ${agoOf(revokedAt, now)}`
  if (expiresAt === '') return status
  return status === 'active' ? `ends in ${spanText(Date.parse(expiresAt) - now)}` : `expired ${agoOf(expiresAt, now)}`
}

const agoOf = (at: string, now: number) => `${spanText(Math.max(0, now - Date.parse(at)))} ago`

const DAY_MS = 24 * 3_600_000

/** Keys live for months: beyond two days, days are enough. */
const spanText = (ms: number) => (ms < 2 * DAY_MS ? durationText(ms) : `${Math.floor(ms / DAY_MS)}d`)
