/** The result of reading a definition text: the plan, or all of its problems. */
import type { Param, Plan, Step } from '../../machines/vocabulary.ts'

/** One problem of a text. */
export interface Problem {
  /** A sentence such as `field 'depends': step b depends on non-existent step a`. */
  message: string
  /** Field path such as `steps[2].depends`; empty: the whole text. */
  path: string
  /** 1-based. */
  line?: number
  column?: number
}

/** A text that has been read. `plan` exists exactly when `problems` is empty. */
export interface Definition {
  /** From the override, the text, or the fallback; empty: none. */
  name: string
  plan?: Plan
  problems: Problem[]
  warnings: string[]
  /** The plan as far as it could be built, for lists that show a text with problems. */
  outline: Outline
}

export interface Outline {
  name: string
  group: string
  description: string
  tags: string[]
  params: Param[]
  steps: Step[]
}
