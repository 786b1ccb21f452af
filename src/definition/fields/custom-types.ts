/**
 * Executor types of the host application: what the reader needs to check a step. Source: definition-format
 * "Executors"; the interface itself is ours.
 */
import type { Json, Step } from '../../../machines/vocabulary.ts'

// D642: a custom type is known to its engine only
/** Forms of a setting. Weak like those of the built-in executors: `"5"` is a number, one text is a list of one. */
export const SETTING_FORMS = ['text', 'flag', 'number', 'texts', 'map', 'any'] as const

export interface Setting {
  /** `text`, `flag` (boolean), `number`, `texts` (a list), `map` (of texts, or of lists of them), or `any` JSON. */
  is: (typeof SETTING_FORMS)[number]
  /** Default: no. */
  required?: boolean
}

/** A step as written: texts are not expanded yet. */
export interface WrittenStep extends Pick<Step, 'command' | 'argv' | 'script'> {
  config: { [key: string]: Json }
}

export interface CustomType {
  /** Settings by case-insensitive name; others are ignored. */
  config?: Readonly<Record<string, Setting>>
  /** Further problems of a step, as sentences. Nothing of it is expanded yet. */
  validate?(step: WrittenStep): string[]
}

/** By the name that `executor.type` gives. */
export type CustomTypes = ReadonlyMap<string, CustomType>
