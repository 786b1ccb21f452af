/** Tells two texts of a definition apart: a caller names the one that it has seen. */
import { createHash } from 'node:crypto'

const LENGTH = 22

/** Revision of a text, 22 characters. */
export const revisionOf = (spec: string): string =>
  createHash('sha256').update(spec).digest('base64url').slice(0, LENGTH)
