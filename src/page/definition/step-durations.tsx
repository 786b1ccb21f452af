/** How long one step took in each of the latest runs, with its median and its 95th percentile. */
import type { PastStep, Statistics } from '../answers.ts'
import { lengthText, markOf } from '../text.ts'

interface Props {
  step: Statistics['steps'][number]
  /** The oldest first; undefined: that run has no such step. */
  times: readonly (PastStep | undefined)[]
}

const HIGH = 90
const WIDE = 1_000

export function StepDurations({ step: { name, count, failures, p50Ms, p95Ms }, times }: Props) {
  const longest = Math.max(1, ...times.map((time) => time?.ms ?? 0))
  const width = WIDE / Math.max(1, times.length)
  const heightOf = (ms: number) => (ms / longest) * (HIGH - 6)
  return (
    <section class="step-durations" aria-label={`Durations of ${name}`}>
      <h2 class="minor">{name}</h2>
      <p>
        {p50Ms === undefined || p95Ms === undefined ? (
          <span class="soft">It has not ended by itself in these runs.</span>
        ) : (
          <>
            Median <b>{lengthText(p50Ms)}</b>, p95 <b>{lengthText(p95Ms)}</b>, {count} executions,{' '}
            <span class={failures > 0 ? 'grave' : undefined}>{failures} failed</span>
          </>
        )}
      </p>
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
        {times.map((time, at) => (
          // Runs have no other key than their place.
          <rect
            key={at}
            class={time ? `s-${markOf(time)}` : undefined}
            x={at * width + width * 0.15}
            width={width * 0.7}
            y={HIGH - heightOf(time?.ms ?? 0)}
            height={heightOf(time?.ms ?? 0)}
          />
        ))}
        {[p50Ms, p95Ms].map(
          (ms, at) => ms !== undefined && <path key={at} class="level" d={`M0 ${HIGH - heightOf(ms)}H${WIDE}`} />
        )}
      </svg>
    </section>
  )
}
