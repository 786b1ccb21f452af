/** Run details as JSON, the same as the API's. */
import { runDetails } from '../api/shapes.ts'
import { timeTextIn } from '../api/time-text.ts'
import type { RunView } from '../engine.ts'

/** @param tz IANA zone of the times */
export const detailsOf = (view: RunView, tz: string) => runDetails(view, timeTextIn(tz))
