/** The type of a stored definition. */
import type { Definition } from '../definition/definition.ts'

/** A stored definition as the list shows it. */
export interface StoredDefinition {
  fileName: string
  /** Text of the file; empty when it cannot be read. */
  spec: string
  /** The file cannot be read, or is not UTF-8: its text is unknown. */
  isUnread?: true
  /** The definition is in the code of the host application, and cannot be changed here. */
  inCode?: true
  definition: Definition
  suspended: boolean
}
