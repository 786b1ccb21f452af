/** `~` at the start of a path is the home directory. Source: execution-semantics 3.1.9. */
import { homedir } from 'node:os'

// D643: `~` is the home directory in paths of archive and mail steps
/** @param home default: that of this user */
export const atHome = (path: string, home = homedir()): string => path.replace(/^~(?=\/|$)/, () => home)
