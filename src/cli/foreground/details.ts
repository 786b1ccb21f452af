/** Runs as JSON, the same as the API's; of a server elsewhere as it has answered. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { runDetails, runSummary } from '../../api/shapes/shapes.ts'
import { timeTextIn } from '../../api/shapes/time-text.ts'
import type { RunView } from '../../engine/engine.ts'
import type { Answered } from '../remote/views.ts'

/** @param tz IANA zone of the times */
export const detailsOf = (view: RunView & Answered, tz: string) => view.answer ?? runDetails(view, timeTextIn(tz))

/** @param tz IANA zone of the times */
export const summaryOf = (run: RunRecord & Answered, tz: string) => run.answer ?? runSummary(run, timeTextIn(tz))
