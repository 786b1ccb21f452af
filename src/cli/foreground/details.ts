/** Runs as JSON, the same as the API's. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { runDetails, runSummary } from '../../api/shapes/shapes.ts'
import { timeTextIn } from '../../api/shapes/time-text.ts'
import type { RunView } from '../../engine/engine.ts'

/** @param tz IANA zone of the times */
export const detailsOf = (view: RunView, tz: string) => runDetails(view, timeTextIn(tz))

/** @param tz IANA zone of the times */
export const summaryOf = (run: RunRecord, tz: string) => runSummary(run, timeTextIn(tz))
