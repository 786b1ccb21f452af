/** The user of this process. */
import { userInfo } from 'node:os'

/** Undefined: the system has no name for its number, as in some containers. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}
