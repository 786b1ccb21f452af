/** What a run has come to. Source: docs/embedding/README.md. */
import type { Json } from '../../../machines/vocabulary.ts'
import { resultOfRun, resultOfStep } from '../../store/step-result.ts'
import type { RunView } from '../engine.ts'

/** Null for a step that did not run; undefined: its plan does not say what its result is. */
export const resultOf = ({ plan, nodes }: Pick<RunView, 'plan' | 'nodes'>): Json | undefined =>
  resultOfRun(plan, (name) => {
    const found = nodes.find(({ step }) => step.name === name)
    return found ? resultOfStep(found.step, found.node) : null
  })
