/** Request and result of an archive step. Source: execution-semantics 10.5. */
import { messageOf } from '../../errors.ts'
import type { Execution } from '../executor.ts'
import { type ConfigValues, configValues } from '../frame/config-values.ts'
import { namedPath } from '../frame/named-file.ts'
import { failure } from './codes.ts'
import { type Format, formatNamed, formatOfName, LEVELS } from './format.ts'
import type { Limits } from './guard.ts'

/** Absolute paths. */
export interface ArchiveRequest {
  operation: 'extract' | 'create' | 'list'
  source: string
  /** The folder in a new archive that holds all entries; empty: none. */
  name: string
  /** Empty for a list, and for a dry run of create without one. */
  destination: string
  /** Only for create. */
  format?: Format
  /** Undefined: the default of the format. */
  level?: number
  include: string[]
  exclude: string[]
  stripComponents: number
  preservePaths: boolean
  overwrite: boolean
  verify: boolean
  dryRun: boolean
  verbose: boolean
  followSymlinks: boolean
  continueOnError: boolean
  /** Where to look for compression programs. */
  path: string
  /** Temporary file of the archive until it is complete; removed on failure. */
  partial: string
  limits: Limits
}

/** The outcome of the thread. */
export interface ArchiveOutcome {
  exitCode: number
  /** Why the operation failed. */
  message?: string
  /** The result without its `duration`; absent when there is none. */
  result?: Record<string, unknown>
}

const OPERATIONS = ['extract', 'create', 'list'] as const
const MAX_PATTERN = 1_000

// D606: archive: stdout is one JSON value
/** @throws ExecutionError with code 2 or 5 */
export function requestOf(execution: Execution, partialName: string, limits: Limits): ArchiveRequest {
  const { words = [], config = {}, workingDir, env } = execution
  const operation = OPERATIONS.find((known) => known === words[0]?.toLowerCase())
  if (!operation || words.length > 1)
    throw failure('configuration', `archive: command must be extract, create or list, found "${words.join(' ')}"`)
  try {
    return read(operation, configValues(config), workingDir, { path: env.PATH ?? '', partialName, limits })
  } catch (error) {
    const isConfig = error instanceof Error && error.name === 'ConfigError'
    throw isConfig ? failure('configuration', messageOf(error), error) : error
  }
}

function read(
  operation: ArchiveRequest['operation'],
  values: ConfigValues,
  workingDir: string,
  { path, partialName, limits }: { path: string; partialName: string; limits: Limits }
): ArchiveRequest {
  const flag = (key: string, otherwise = false) => values.flag(key) ?? otherwise
  const patterns = (key: string) => {
    const found = (values.texts(key) ?? []).filter(Boolean)
    if (found.every((pattern) => pattern.length <= MAX_PATTERN)) return found
    throw failure('configuration', `config.${key}: a pattern has more than ${MAX_PATTERN} characters`)
  }
  if (values.text('password'))
    throw failure('configuration', 'config.password: archives with a password are not supported')
  const source = values.text('source')
  if (!source) throw failure('configuration', 'config.source is required')
  const dryRun = flag('dryRun')
  const written = values.text('destination') || (operation === 'extract' ? '.' : '')
  if (operation === 'create' && !written && !dryRun)
    throw failure('configuration', 'config.destination is required for create')
  const destination = written && operation !== 'list' ? namedPath(workingDir, written) : ''
  const stripComponents = values.number('stripComponents') ?? 0
  if (!Number.isInteger(stripComponents) || stripComponents < 0)
    throw failure('configuration', `config.stripComponents: wanted 0 or more, found ${stripComponents}`)
  const format = operation === 'create' && written ? formatFor(values.text('format'), written) : undefined
  const level = levelFor(values.number('compressionLevel'), format)
  return {
    operation,
    source: namedPath(workingDir, source),
    name: nameIn(source),
    destination,
    ...(format ? { format } : {}),
    ...(level === undefined ? {} : { level }),
    include: patterns('include'),
    exclude: patterns('exclude'),
    stripComponents,
    preservePaths: flag('preservePaths', true),
    overwrite: flag('overwrite'),
    verify: flag('verifyIntegrity'),
    dryRun,
    verbose: flag('verbose'),
    followSymlinks: flag('followSymlinks'),
    continueOnError: flag('continueOnError'),
    path,
    partial: destination && `${destination}.${partialName}.part`,
    limits
  }
}

/**
 * The last name of a path as written, so that it does not depend on the working directory. `.`, `..`, `dir/.`, `/` and `~`
 * have none. Source: execution-semantics 10.5.4.
 */
function nameIn(written: string): string {
  const last = written.split('/').findLast((part) => part !== '') ?? ''
  return ['.', '..'].includes(last) || /^~\/*$/.test(written) ? '' : last
}

function formatFor(named: string | undefined, destination: string): Format {
  const found = named ? formatNamed(named) : formatOfName(destination)
  if (found) return found
  const wanted = 'zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, gz, bz2, xz, zst or lz4'
  throw failure('format', `archive: unknown format ${named ? `"${named}"` : `of "${destination}"`}, wanted ${wanted}`)
}

/** -1: the default of the format. */
function levelFor(level: number | undefined, format: Format | undefined): number | undefined {
  if (level === undefined || level === -1 || !format) return undefined
  const range = LEVELS[format.container === 'zip' ? 'gz' : format.compression]
  if (!range) return undefined
  const [least, most] = range
  if (Number.isInteger(level) && level >= least && level <= most) return level
  throw failure('configuration', `config.compressionLevel: wanted ${least} to ${most}, or -1; found ${level}`)
}
