/** How many files the process may have open: each connection is one, beside those of the store, the logs and the steps. */
import { readFileSync } from 'node:fs'

/** Files that are left to these, and at least a quarter of all. */
const RESERVED = 96
const SHARE = 1 / 4
const LEAST = 8

// D1626: connections leave open files for the rest
/** The connections of which `most` are wanted, as far as the limit of the process allows. @param openFiles that limit */
export function connectionsWithin(most: number, openFiles = limitOfProcess()): number {
  return Math.max(LEAST, Math.min(most, Math.floor(openFiles - Math.max(RESERVED, openFiles * SHARE))))
}

function limitOfProcess(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return Number(soft) || Number.MAX_SAFE_INTEGER
  } catch {
    return Number.MAX_SAFE_INTEGER
  }
}
