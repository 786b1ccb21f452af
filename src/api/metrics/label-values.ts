/** What a label of a metric may hold: some values that are known beforehand, or names of users up to a number. */
import * as lists from '../../../machines/vocabulary/lists.ts'
import { UNREADY_REASONS } from '../../../machines/vocabulary/lists.ts'
import { KINDS } from '../../bus/counted.ts'

/** In the place of all further names. */
export const OTHER = 'other'

export interface LabelValues {
  /** Names with series of their own; all others share `other`. */
  most?: number
  /** Each with what it stands for, where that is not plain. */
  values?: Readonly<Record<string, string>>
}

const oneOf = (values: readonly string[]): LabelValues => ({
  values: Object.fromEntries(values.map((value) => [value, '']))
})
const named = <const N extends number>(most: N) => ({ most })

/** Values of `health` of a worker. */
export const HEALTHS = ['healthy', 'warning', 'unhealthy'] as const
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Labels of the program itself: one value at a time. */
export const BUILD: LabelValues = {}
export const DAGS = named(1_000)
export const QUEUES = named(200)
/** Types of executors: a host application may have any number. */
export const TYPES = named(30)
/** `notify` has at most half as many, and others may have left something. */
export const TARGETS = named(100)
export const WORKERS = named(200)
/** What runs ask of workers. */
export const SELECTORS = named(50)
export const RUN_ENDS = oneOf(lists.RUN_ENDS)
export const STEP_ENDS = oneOf(lists.NODE_ENDS)
/** In the words of the specification. */
export const WINDOW_ENDS = oneOf(['succeeded', 'failed', 'aborted'])
export const REASONS = oneOf(UNREADY_REASONS)
export const STATES: LabelValues = { values: { waiting: 'for their turn', starting: '', running: '' } }
export const FILES: LabelValues = {
  values: { write_ahead: 'the next steps wait for it', store: 'clients and readers wait for it, too' }
}
export const OUTCOMES: LabelValues = { values: { delivered: '', failed: 'and tried again later', dead: '' } }
export const METHOD = oneOf([...METHODS, OTHER])
export const CODES = oneOf(['2xx', '3xx', '4xx', '5xx'])
export const HEALTH = oneOf(HEALTHS)
export const MESSAGES = oneOf([...KINDS, OTHER])
export const DIRECTIONS = oneOf(['in', 'out'])
