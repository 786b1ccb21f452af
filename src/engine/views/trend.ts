/**
 * Whether the runs of a DAG have become slower: the medians of the successful ones of the last seven days and of the seven before. Source:
 * http-api "Definitions".
 */
import type { JournalRecord, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine } from '../engine.ts'

interface Week {
  /** Runs that were looked at. */
  runs: number
  p50Ms: number
}
export interface Trend {
  thisWeek: Week
  lastWeek: Week
  /** By how much the median has grown, of that of last week. */
  percent: number
}

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/** A median of fewer runs says nothing. */
const LEAST = 5
/** The newest ones of a week, and how many may be looked at to find them. */
const MOST = 25
const MOST_LOOKED_AT = 100
/** A trend changes also when nothing runs. */
const KEPT_MS = 24 * HOUR_MS
/** Records of the feed that are read in the time that a trend takes. */
const RECORDS_FOR_A_TREND = 50
const READ_AT_ONCE = 500
/** A shorter time may be chance. */
const LEAST_MS = 1_000

export interface Trends {
  /** Forgets those of DAGs whose runs have changed. Await it before `of`. @param giveWay awaited now and then */
  refresh(giveWay: () => Promise<void> | undefined): Promise<void>
  /** Undefined: too few runs have succeeded in one of the weeks. */
  of(name: string): Trend | undefined
}

// D1747: trends are computed from a few runs when they are asked for, and kept until the journal tells of a run
export function trendsOf(engine: Pick<Engine, 'runsPart' | 'feed' | 'fed' | 'now'>): Trends {
  const known = new Map<string, { at: number; trend: Trend | undefined }>()
  let read = 0
  return {
    async refresh(giveWay) {
      if (engine.fed() - read > known.size * RECORDS_FOR_A_TREND) {
        read = engine.fed()
        known.clear()
      }
      while (read < engine.fed()) {
        const { records, end, missed } = engine.feed(read, READ_AT_ONCE)
        if (missed > 0) known.clear()
        for (const { record } of records) if (record.run && isOfRun(record)) known.delete(record.run.name)
        read = Math.max(read + 1, end)
        await giveWay()
      }
    },
    of(name) {
      const [kept, now] = [known.get(name), engine.now()]
      if (kept && now - kept.at < KEPT_MS) return kept.trend
      const trend = trendOf(engine, name, now)
      known.set(name, { at: now, trend })
      return trend
    }
  }
}

/** Steps and attempts say nothing about how long a run took. */
const isOfRun = ({ status, step }: JournalRecord) => status !== undefined && step === undefined

function trendOf(engine: Pick<Engine, 'runsPart'>, name: string, now: number): Trend | undefined {
  const since = now - WEEK_MS
  const thisWeek = weekOf(engine, name, since, Number.MAX_SAFE_INTEGER)
  const lastWeek = thisWeek && weekOf(engine, name, since - WEEK_MS, since)
  if (!lastWeek) return undefined
  const more = thisWeek.p50Ms - lastWeek.p50Ms
  const percent = Math.abs(more) < LEAST_MS ? 0 : Math.round((100 * more) / Math.max(lastWeek.p50Ms, 1))
  return { thisWeek, lastWeek, percent }
}

function weekOf(engine: Pick<Engine, 'runsPart'>, name: string, from: number, to: number): Week | undefined {
  let looked = 0
  const isEnough = (found: number) => found === MOST || ++looked === MOST_LOOKED_AT
  const { runs } = engine.runsPart({ name, status: ['succeeded'], from, to }, undefined, isEnough)
  const durations = runs.flatMap(lengthOf).sort((a, b) => a - b)
  const p50Ms = durations[Math.ceil(durations.length / 2) - 1]
  return durations.length < LEAST || p50Ms === undefined ? undefined : { runs: durations.length, p50Ms }
}

const lengthOf = ({ startedAt, finishedAt }: RunRecord): number[] =>
  startedAt === undefined || finishedAt === undefined ? [] : [Math.max(0, finishedAt - startedAt)]
