/** How long the runs of a definition take this week, beside last week. */
import type { Trend } from '../answers.ts'
import { lengthText } from '../text.ts'

/** Less may be chance. */
export const NOTED_PERCENT = 10

/** `2 min 10 s → 3 min 40 s, 12 and 14 runs`. */
export const mediansText = ({ thisWeek, lastWeek }: Trend): string =>
  `${lengthText(lastWeek.p50Ms)} → ${lengthText(thisWeek.p50Ms)}, ${lastWeek.runs} and ${thisWeek.runs} runs`

/** @param isWhole with the medians and their numbers of runs, which otherwise are in its title */
export function TrendText({ trend, isWhole = false }: { trend: Trend | undefined; isWhole?: boolean }) {
  if (!trend) return null
  const { percent } = trend
  const medians = mediansText(trend)
  const title = `Median of last week → this week: ${medians}`
  return (
    <span class={percent >= NOTED_PERCENT ? 'trend slower' : 'trend soft'} title={title}>
      {percent === 0 ? 'As last week' : `${Math.abs(percent)} % ${percent > 0 ? 'slower' : 'faster'}`}
      <span class={isWhole ? 'soft' : 'unseen'}>: {medians}</span>
    </span>
  )
}
