/** Selects entries and maps their paths. Source: execution-semantics 10.5.5, 10.5.7. */
import picomatch from 'picomatch'
import type { ArchiveRequest } from './request.ts'

export interface Selection {
  /** Parts of its target path; undefined: it is left out. @param parts of its path in the archive */
  place(parts: string[], isDirectory: boolean): string[] | undefined
  /** Whether a path is excluded by name. */
  excludes(parts: string[]): boolean
}

// D651: archive: names of entries start with the last name of `source` as written
export function selectionOf({
  include,
  exclude,
  stripComponents,
  preservePaths
}: Pick<ArchiveRequest, 'include' | 'exclude' | 'stripComponents' | 'preservePaths'>): Selection {
  const matcher = (patterns: string[]) => (patterns.length > 0 ? picomatch(patterns, { dot: true }) : undefined)
  const included = matcher(include)
  const excluded = matcher(exclude)
  return {
    excludes: (parts) => excluded?.(parts.join('/')) ?? false,
    place(parts, isDirectory) {
      const path = parts.join('/')
      if (parts.length === 0 || excluded?.(path) || included?.(path) === false) return undefined
      if (!preservePaths) return isDirectory ? undefined : parts.slice(-1)
      const rest = parts.slice(stripComponents)
      return rest.length > 0 ? rest : undefined
    }
  }
}

/** Counts the files of an operation. */
export interface FilesSeen {
  count: number
  /** Path in the archive of one of them. */
  example: string
}

/** An empty backup must not look like a successful one. @param done such as `archived` */
export function nothingTaken(
  done: string,
  { count, example }: FilesSeen,
  { include, exclude, stripComponents }: Pick<ArchiveRequest, 'include' | 'exclude' | 'stripComponents'>
): string {
  if (count === 0) return `warning: nothing was ${done}: there is no file`
  const options = [
    ...(include.length > 0 ? [`include ${JSON.stringify(include)}`] : []),
    ...(exclude.length > 0 ? [`exclude ${JSON.stringify(exclude)}`] : []),
    ...(stripComponents > 0 ? [`stripComponents ${stripComponents}`] : [])
  ]
  const files = count === 1 ? 'the only file' : `${count} files, such as`
  const left = options.length > 0 ? `none passes ${options.join(' and ')}` : 'none could be'
  return `warning: nothing was ${done}: of ${files} ${JSON.stringify(example)} ${left}`
}
