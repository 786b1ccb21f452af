/** Rates in the configuration, such as `20/s`. */
import type { Type } from '../types.ts'

/** A number in a time, as a bucket that fills evenly and starts full. */
export interface Rate {
  count: number
  perMs: number
  /** As written. */
  text: string
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

export const rate: Type<Rate> = {
  wanted: 'a rate such as 20/s, 60/m or 500/h',
  of(input) {
    const [, digits = '', unit = ''] = /^(\d{1,9})\/(s|m|h)$/.exec(typeof input === 'string' ? input : '') ?? []
    const count = Number(digits)
    const perMs = UNIT_MS[unit]
    return perMs !== undefined && count > 0 ? { count, perMs, text: `${digits}/${unit}` } : undefined
  }
}
