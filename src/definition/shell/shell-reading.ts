/** The reader of a text for a shell, and the part of the text that is Troupe's. */
import type { Lookup } from '../text/lookup.ts'
import { type Resolve, resolver } from '../text/resolve.ts'
import type { ShellReader } from './shell.ts'

export interface Reading {
  look: Lookup
  /** Whether Troupe runs backtick commands; otherwise they are the shell's. */
  backticks: boolean
  reader: ShellReader
  resolve: Resolve
  /** Runs a backtick command. */
  substitute(command: string): Promise<string>
  /** Values that are data are kept from being anything else; not so where the author wants none of that. */
  isGuarded: boolean
}

const NOTHING: Lookup = { variable: () => undefined }

/** The reader with no values: it puts nothing in and runs nothing. */
export const withoutValues = (reading: Reading): Reading => ({
  ...reading,
  look: NOTHING,
  resolve: resolver(NOTHING),
  substitute: () => Promise.resolve(''),
  isGuarded: false
})
