/** The result of a run: what the steps that `result` of its definition names have come to. Source: docs/embedding/README.md. */
import type { Json } from '../../machines/vocabulary.ts'
import type { RunView } from '../engine/engine.ts'
import { resultOfRun, resultOfStep } from '../store/step-result.ts'

/** Null for a step that did not run, and for a run without a result. */
export const resultOf = ({ plan, nodes }: Pick<RunView, 'plan' | 'nodes'>): Json =>
  resultOfRun(plan, (name) => {
    const found = nodes.find(({ step }) => step.name === name)
    return found ? resultOfStep(found.step, found.node) : null
  }) ?? null
