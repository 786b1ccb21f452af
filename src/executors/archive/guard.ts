/** Limits on archives, and on the paths in them. Source: execution-semantics 10.5.6, reliability R16. */
import { failure } from './codes.ts'

export interface Limits {
  entries: number
  /** Unpacked size of all entries, bytes. */
  bytes: number
  /** Greatest ratio of unpacked to packed bytes, checked from `ratioFrom` unpacked bytes on. */
  ratio: number
  ratioFrom: number
}

export const LIMITS: Limits = {
  entries: 1_000_000,
  bytes: 64 * 1_024 ** 3,
  ratio: 1_000,
  ratioFrom: 256 * 1_024 ** 2
}

export interface Guard {
  /** Counts one more entry. @throws ExecutionError with code 12, so both */
  entry(): void
  /** Counts more unpacked bytes. */
  bytes(count: number): void
}

// D607: archive: links and sizes are bounded
/** @param packed size of the archive, bytes */
export function openGuard(limits: Limits, packed: number): Guard {
  let entries = 0
  let bytes = 0
  return {
    entry() {
      if (++entries > limits.entries) throw failure('corrupted', `the archive has more than ${limits.entries} entries`)
    },
    bytes(count) {
      bytes += count
      if (bytes > limits.bytes) throw failure('corrupted', `the archive unpacks to more than ${limits.bytes} bytes`)
      if (bytes > limits.ratioFrom && bytes > packed * limits.ratio)
        throw failure('corrupted', `the archive unpacks to more than ${limits.ratio} times its size`)
    }
  }
}

/** The parts of a path in an archive. @throws ExecutionError with code 12 for one that leads outside */
export function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.startsWith('/') || path.includes('\0') || parts.includes('..'))
    throw failure('corrupted', `the archive is refused: the entry ${JSON.stringify(path)} leaves the destination`)
  return parts
}

/**
 * Refuses a symbolic link that can lead out of the destination. `..` is allowed only at the beginning: after the name of
 * another link it would resolve differently.
 * @param depth folders between the destination and the link
 * @throws ExecutionError with code 12
 */
export function checkLink(path: string, target: string, depth: number): void {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const up = parts.findIndex((part) => part !== '..')
  const climbs = up === -1 ? parts.length : up
  if (target.startsWith('/') || target.includes('\0') || climbs > depth || parts.slice(climbs).includes('..'))
    throw failure(
      'corrupted',
      `the archive is refused: the link ${JSON.stringify(path)} points outside the destination, to ${JSON.stringify(target)}`
    )
}
