/** Disk space and permissions where the engine writes. Source: reliability P6, section 5 (home 0700). */
import { accessSync, chmodSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { reasonOf } from '../platform/make-folder.ts'
import type { Finding, Premises } from './finding.ts'

const MIB = 1024 ** 2
/** Below this the engine is about to stall, bytes. */
const TOO_LITTLE = 64 * MIB
/** Below this a warning is due, bytes. */
const LITTLE = 512 * MIB
/** Least share of free inodes. */
const FREE_INODES = 0.02
/** Network file systems by their `statfs` number: locks and memory maps of the store do not work there. */
const NETWORKS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p']
])

export function* diskProblems({ home, dataDir, logDir, dagsDir }: Premises): Generator<Finding> {
  const seen = new Set<number>()
  for (const folder of [dataDir, logDir, home, dagsDir]) {
    if (!existsSync(folder)) continue
    const unwritable = refusal(folder)
    if (unwritable !== undefined)
      yield {
        check: 'disk',
        severity: folder === dagsDir ? 'note' : 'error',
        message: `${folder} cannot be written: ${unwritable}`,
        mending:
          folder === dagsDir
            ? 'definitions can be run and not be changed'
            : 'mount it writable, or make it writable for the user of the engine; the engine then continues by itself'
      }
    const { dev } = statSync(folder)
    if (seen.has(dev)) continue
    seen.add(dev)
    yield* shortage(folder)
  }
  if (!existsSync(dataDir)) return
  const network = NETWORKS.get(statfsSync(dataDir).type)
  if (network)
    yield {
      check: 'disk',
      severity: 'error',
      message: `the store is on a ${network} file system: ${dataDir}`,
      mending: 'move the home to a local disk; paths.logDir and paths.dagsDir may stay where they are'
    }
}

function refusal(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function* shortage(folder: string): Generator<Finding> {
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  const free = bavail * bsize
  if (free < LITTLE)
    yield {
      check: 'disk',
      severity: free < TOO_LITTLE ? 'error' : 'warning',
      message: `${Math.floor(free / MIB)} MiB are free on the disk of ${folder}`,
      mending:
        'free disk space: histRetentionDays removes old runs with their logs; a full disk stalls runs, it loses none'
    }
  if (files > 0 && ffree < files * FREE_INODES)
    yield {
      check: 'disk',
      severity: 'warning',
      message: `${ffree} of ${files} inodes are free on the disk of ${folder}`,
      mending: 'remove files: each run has a few; histRetentionDays removes old ones'
    }
}

/** Permission bits that only the owner may have. */
const ANY_OTHER = 0o077
const OTHERS = 0o007
const OTHERS_WRITE = 0o022

/** Files whose own modes matter, wherever the folder is mounted or copied to. */
const STORE_FILES = ['troupe.mdb', 'troupe.mdb-lock', 'write-ahead']

export function* permissionProblems(premises: Premises): Generator<Finding> {
  const { home, dataDir, logDir, dagsDir, baseConfig, file } = premises
  const isPrivate = existsSync(home) && (statSync(home).mode & OTHERS) === 0
  const inside = (path: string) => isPrivate && path.startsWith(`${home}/`)
  yield* owned(existsSync(dataDir) ? dataDir : home)
  yield* tooOpen(home, ANY_OTHER, 'others can look into the home')
  yield* tooOpen(dataDir, ANY_OTHER, 'others can read what runs have stored')
  for (const name of STORE_FILES)
    yield* tooOpen(join(dataDir, name), ANY_OTHER, 'others can read what runs have stored')
  if (!inside(logDir) && statOf(logDir)?.isDirectory()) yield* tooOpen(logDir, OTHERS, 'others can read logs')
  if (file !== undefined && !inside(file)) yield* tooOpen(file, ANY_OTHER, 'others can read the credentials in it')
  for (const path of [dagsDir, dirname(baseConfig), baseConfig])
    if (!inside(path)) yield* tooOpen(path, OTHERS_WRITE, 'others can write commands that run as you')
}

function* owned(home: string): Generator<Finding> {
  const stat = statOf(home)
  const user = process.getuid?.()
  if (!stat || user === undefined || stat.uid === user) return
  yield {
    check: 'permissions',
    severity: 'warning',
    message: `${home} belongs to the user with id ${stat.uid}, you are ${user}`,
    mending: 'run troupe as the user that the engine runs as: files you make here are not its own'
  }
}

// D1488: for a user of the group root, that group is nobody else
const ROOT = 0
/** A user who is not root and has that group: one of a container, whose number may be any. */
const isInContainer = () => process.getuid?.() !== ROOT && process.getgid?.() === ROOT
const OF_GROUP = 0o070

/** @param bits that must not be set */
function* tooOpen(path: string, bits: number, why: string): Generator<Finding> {
  const stat = statOf(path)
  if (!stat || (stat.mode & bits) === 0) return
  if (isInContainer() && stat.gid === ROOT && (stat.mode & bits & ~OF_GROUP) === 0) return
  const mode = stat.mode & ALL_BITS
  const found = {
    check: 'permissions',
    severity: 'warning',
    message: `${path} has mode ${octal(mode)}: ${why}`
  } as const
  if (isCommon(stat)) yield { ...found, mending: 'many use that folder: give one of your own' }
  else
    yield {
      ...found,
      mending: `chmod ${octal(mode & ~bits)} ${path}`,
      fix: () => chmodSync(path, mode & ~bits)
    }
}

/** With setgid and sticky bits, which a fix must not remove. */
const ALL_BITS = 0o7777
const octal = (mode: number) => mode.toString(8).padStart(4, '0')

/** A folder such as `/tmp`, which must stay open for other users. */
const isCommon = (stat: Stats) => stat.isDirectory() && (stat.mode & COMMON) === COMMON
const COMMON = 0o1002

/** Undefined: missing or unreachable. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
