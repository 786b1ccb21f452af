/** A part of a log or a result, and how long the whole is. Source: distribution 3, D10. */
import { constants, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { codeOf } from '../../errors.ts'

export interface Part {
  size: number
  data: Buffer
}

export const NO_PART: Part = { size: 0, data: Buffer.alloc(0) }

/** Never more than `most` bytes, whatever the size of the file. A missing file is empty. @throws Error of the file system */
export async function partOf(path: string, from: number, most: number): Promise<Part> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return NO_PART
      const data = Buffer.alloc(Math.max(0, Math.min(most, stat.size - from)))
      const { bytesRead } = data.length > 0 ? await file.read(data, 0, data.length, from) : { bytesRead: 0 }
      return { size: stat.size, data: data.subarray(0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (MISSING.has(codeOf(error) ?? '')) return NO_PART
    throw error
  }
}
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])

/** 0: there is none. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
