/** The manifest of a backup: its origin, its content, and the checksum of each file. */
import { join } from 'node:path'
import { codeOf, TroupeError } from '../errors.ts'
import { reasonOf } from '../platform/make-folder.ts'
import { readRegular } from '../platform/open-regular.ts'
import { array, object, optional } from '../schema/schema.ts'
import { parsed } from '../schema/walk.ts'

/** Incremented when the layout of backups changes. */
export const BACKUP_FORMAT = 1

/** The parts of a home: folders and files of a backup. */
const PARTS = ['store', 'definitions', 'suspend', 'logs', 'work', 'audit', 'base.yaml', 'config.yaml'] as const
export type Part = (typeof PARTS)[number]

export interface Manifest {
  format: number
  /** Version of Troupe that took it. */
  version: string
  /** Epoch ms. */
  takenAt: number
  /** An engine was running. */
  live: boolean
  /** Runs in the store. */
  runs: number
  /** Absolute paths that stored records may contain. */
  logDir: string
  dataDir: string
  dagsDir: string
  /** Files by path in the backup. */
  files: { path: string; bytes: number; sha256: string }[]
  /** Links by path in the backup, with their targets. Absent in backups of older releases. */
  links?: { path: string; target: string }[]
  /** Problems of the store, and so of the copy; absent: there is none. */
  problems?: string[]
}

/** Size of all files, bytes. */
export const sizeOf = ({ files }: Manifest): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Name of the manifest in its backup. */
export const FILE = 'manifest.json'
export const manifestPath = (folder: string): string => join(folder, FILE)

const maps = array({ type: 'object' })
const written = object({ format: { type: 'number' }, files: maps, links: optional(maps) })

// D882: a restore takes exactly what the manifest lists
/** @throws TroupeError not_found, bad_request, service_unavailable (it exists and cannot be read) */
export function readManifest(folder: string): Manifest {
  let text: string
  try {
    text = readRegular(manifestPath(folder)).toString()
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? ''))
      throw new TroupeError('not_found', `${folder} is no backup: there is no ${FILE} in it`, { cause })
    const message = `${manifestPath(folder)} cannot be read: ${reasonOf(cause)}`
    throw new TroupeError('service_unavailable', message, { cause })
  }
  return manifestIn(text, manifestPath(folder))
}

/** @param name of the manifest in messages @throws TroupeError bad_request */
export function manifestIn(text: string, name: string): Manifest {
  const manifest = parsed(written, text) as Manifest | undefined // its paths are looked at below
  if (!manifest) throw new TroupeError('bad_request', `${name} cannot be read: take another backup`)
  if (manifest.format > BACKUP_FORMAT)
    throw new TroupeError(
      'bad_request',
      `the backup was taken by a newer release (${manifest.version}, format ${manifest.format}; this one reads ${BACKUP_FORMAT}): update Troupe`
    )
  const wrong = wrongPath(manifest)
  if (wrong !== undefined)
    throw new TroupeError('bad_request', `${name} is not as Troupe writes it: ${wrong}; use another backup`)
  return manifest
}

/** The first invalid path, and why. */
function wrongPath({ files, links = [] }: Manifest): string | undefined {
  const known = new Set<string>()
  for (const { path } of [...files, ...links]) {
    const shown = JSON.stringify(path)
    if (typeof path !== 'string' || path === '') return `it lists ${shown}, which is no path`
    const names = path.split('/')
    if (names.some((name) => name === '' || name === '.' || name === '..'))
      return `it lists ${shown}, which leads elsewhere`
    if (!PARTS.some((part) => part === names[0])) return `it lists ${shown}, which is in no part of a home`
    if (known.has(path)) return `it lists ${shown} twice`
    known.add(path)
  }
  return undefined
}
