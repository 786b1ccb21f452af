/** The steps of two runs, those first that tell most. Pure computations. */
import type { RunDiff } from '../answers.ts'

export type ComparedStep = RunDiff['steps'][number]

/** Durations of which the longer is less than this much of the other count as equal. */
const ALIKE = 1.2
/** Below this the machine decides, ms. */
const LEAST_MS = 500

const RAN: ReadonlySet<string> = new Set(['succeeded', 'partially_succeeded', 'failed'])

/** 0: it ended otherwise; 1: only one of the runs went this way; 2: it took another time; 3: equal. */
function difference({ before, after }: ComparedStep): 0 | 1 | 2 | 3 {
  if (before?.statusLabel !== after?.statusLabel) {
    const both = before && after && RAN.has(before.statusLabel) && RAN.has(after.statusLabel)
    return both ? 0 : 1
  }
  const [one, other] = [before?.ms, after?.ms].map((ms) => Math.max(ms ?? 0, LEAST_MS))
  return one && other && Math.max(one, other) / Math.min(one, other) >= ALIKE ? 2 : 3
}

const changeOf = ({ before, after }: ComparedStep): number => Math.abs((after?.ms ?? 0) - (before?.ms ?? 0))

// D1758: steps of two runs are ordered by what they tell
/** By outcome, then by path, then by how much longer or shorter they took; equal ones apart, in the order of the definition. */
export function ordered(steps: readonly ComparedStep[]): { differing: ComparedStep[]; equal: ComparedStep[] } {
  const ranked = steps.map((step) => ({ step, rank: difference(step) }))
  const differing = ranked
    .filter(({ rank }) => rank < 3)
    .toSorted((a, b) => a.rank - b.rank || (a.rank === 2 ? changeOf(b.step) - changeOf(a.step) : 0))
  return {
    differing: differing.map(({ step }) => step),
    equal: ranked.flatMap(({ step, rank }) => (rank === 3 ? [step] : []))
  }
}
