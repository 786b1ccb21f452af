/** The type of a stored definition. */
import type { Definition } from '../definition/definition.ts'

/** A stored definition as the list shows it. */
export interface StoredDefinition {
  fileName: string
  /** Text that it was read from; empty when the file cannot be read. */
  spec: string
  /** The file cannot be read, or holds no UTF-8: nobody knows its text. */
  isUnread?: true
  definition: Definition
  suspended: boolean
}
