/** `~` at the start of a path is the home directory. Source: execution-semantics 3.1.9. */
import { homedir } from 'node:os'

// D643
export const atHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir())
