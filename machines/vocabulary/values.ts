/** Values of a definition, unexpanded, and what is masked in those of a run. Source: definition-format "Fields". No logic. */

/** JSON as written in a definition. Numbers that do not fit keep their digits as text. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** One `env` entry, in written order; the value is unexpanded. */
export interface EnvEntry {
  key: string
  value: string
}

/** A declared parameter. A positional one is named by its 1-based position. The value is unexpanded. Source: execution-semantics 2.1. */
export interface Param {
  name: string
  value: string
  positional: boolean
  /** The value is JSON of a list or a map; the texts in it are unexpanded. */
  isJson?: true
}

/** Place of a mask in a text, and its secret. Those with the same `at` stand for consecutive pieces. Source: execution-semantics 14.4.8. */
export interface SecretMark {
  /** Bytes of the text's UTF-8 form before the mask. */
  at: number
  /** Name of the secret. */
  secret: string
  /** First byte and number of bytes of its value; absent: all of it. */
  from?: number
  length?: number
}
