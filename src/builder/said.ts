/** What the builder function of a DAG has said. Types only. */
import type { HandlerKind } from '../../machines/vocabulary.ts'
import type { Asking, Construct, SplitOptions } from './options.ts'

/** A function of the host application, by the name under which steps ask for it. */
export interface Body {
  name: string
  /** `step`: it does what the step does. Otherwise it answers for the step: with an option, or after a pass or page. */
  kind: 'step' | 'repeat' | 'collect' | Asking
  run: (call: unknown) => unknown
}

/** A step as it was said, before it becomes text. */
export interface SaidStep extends Omit<SplitOptions, 'depends' | 'problems'> {
  construct: Construct
  name: string
  depends: string[]
  /** A command, the fields of the format, the name of a function or of a DAG. */
  what?: unknown
}

export interface Said {
  steps: SaidStep[]
  handlers: Partial<Record<HandlerKind, SaidStep>>
  bodies: Body[]
  /** Functions of `defineFunction`, by the step that uses one. */
  uses: Map<string, object>
  /** Problems of all steps, as sentences that name the step. */
  problems: string[]
  /** The name of the step that a handle stands for; undefined: the handle is of another DAG. */
  nameOf(handle: unknown): string | undefined
}
