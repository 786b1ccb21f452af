/** Processes that workflows leave a trace of: their pid in a file. */
import { identityOf, isAlive } from '../../src/platform/process-identity.ts'
import { textOf } from './engine/live.ts'
import { eventually } from './waiting.ts'

/** The pid that a step writes to a file, as soon as the line is complete. */
export const pidIn = (path: string): Promise<number> =>
  eventually(`a pid in ${path}`, () => (textOf(path).endsWith('\n') ? Number(textOf(path)) : undefined))

/** Whether a process lives; a zombie does not. */
export function lives(pid: number): boolean {
  const identity = identityOf(pid)
  return identity !== undefined && isAlive(identity)
}

export const gone = (pid: number, limitMs?: number): Promise<true> =>
  eventually(`the end of process ${pid}`, () => (lives(pid) ? undefined : true), limitMs)
