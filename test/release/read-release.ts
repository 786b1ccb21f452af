/**
 * Builds the package in two fresh folders, as whoever publishes it would, and reads what comes of it. Nothing of this checkout but what git
 * has in it is used, and the packages that are installed here.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { list } from 'tar'
import { PASSED } from '../support/long.ts'
import { bundledIn, idOf, installed, together } from './components.ts'
import type { Audit, Component, Lock, Manifest, Packed, Release, Sbom } from './release.ts'
import { sbomOf } from './sbom.ts'
import { textsOf } from './texts.ts'

const run = promisify(execFile)
/** Below `fixtures/`: later releases are tested with them. */
const RECORDS = ['store', 'releases']
const MOST_OUTPUT = 64 * 1024 * 1024
/** The second one is at a path of another length, and built at another time. */
const PLACES = ['one', 'and-another-one/below']

interface Built {
  folder: string
  tarball: string
}

/** @param told what is being done now @param out where the tarball and its bill of materials go */
export async function readRelease(project: string, out: string, told: (what: string) => void): Promise<Release> {
  const textIn = (name: string) => readFileSync(join(project, name), 'utf8')
  const manifest: Manifest = JSON.parse(textIn('package.json'))
  const lock: Lock = JSON.parse(textIn('package-lock.json'))
  const git = async (...argv: string[]) => (await run('git', argv, { cwd: project })).stdout.split('\n').filter(Boolean)
  const below = mkdtempSync(join(tmpdir(), 'troupe-release-'))
  try {
    const built: Built[] = []
    for (const place of PLACES) {
      told(`building ${manifest.name} ${manifest.version} (${built.length + 1} of ${PLACES.length})`)
      built.push(await build(project, join(below, place)))
    }
    const [first] = built
    if (!first) throw new Error('nothing was built')
    told('asking npm what the packages are')
    const bundled = together(bundledIn(join(first.folder, 'dist', 'bundled')))
    const components = together(bundled, installed(manifest, lock))
    const sbom = sbomOf(
      JSON.parse(await npm(project, 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx')) as Sbom,
      manifest,
      components,
      (one) => ownLicence(project, lock, one)
    )
    told('asking the registry what it knows of them')
    const audit: Audit = JSON.parse(await npm(project, 'audit', '--json'))
    mkdirSync(out, { recursive: true })
    const name = `${manifest.name}-${manifest.version}`
    copyFileSync(first.tarball, join(out, `${name}.tgz`))
    writeFileSync(join(out, `${name}.cdx.json`), `${JSON.stringify(sbom, undefined, 2)}\n`)
    return {
      manifest,
      lock,
      bundled,
      components,
      sbom,
      audit,
      changelog: textIn('CHANGELOG.md'),
      git: {
        changed: await git('status', '--porcelain'),
        tags: await git('tag', '--list'),
        commit: (await git('rev-parse', 'HEAD')).join()
      },
      tested: existsSync(join(project, PASSED)) ? textIn(PASSED).trim() : '',
      files: await filesIn(first.tarball),
      again: await Promise.all(
        built.slice(1).map(async ({ tarball }) => ({ digest: digestOf(tarball), files: await filesIn(tarball) }))
      ),
      digest: digestOf(first.tarball),
      texts: await textsOf(project),
      folders: [project, below],
      recorded: RECORDS.filter((kind) => existsSync(join(project, 'fixtures', kind, manifest.version)))
    }
  } finally {
    rmSync(below, { recursive: true, force: true })
  }
}

/** Of packages from before there was one form for it, which npm does not read. */
function ownLicence(project: string, { packages }: Lock, one: Component): string | undefined {
  const [place] =
    Object.entries(packages).find(
      ([place, { version = '' }]) =>
        place.endsWith(`node_modules/${one.name}`) && idOf({ name: one.name, version }) === idOf(one)
    ) ?? []
  if (place === undefined) return undefined
  const { licenses }: { licenses?: { type?: string }[] } = JSON.parse(
    readFileSync(join(project, place, 'package.json'), 'utf8')
  )
  const types = Array.isArray(licenses) ? licenses.flatMap(({ type }) => type ?? []) : []
  return types.length > 0 ? types.join(' OR ') : undefined
}

async function build(project: string, folder: string): Promise<Built> {
  await run('git', ['clone', '--quiet', '--no-hardlinks', project, folder])
  // Not as a link: paths of modules would lead out of the folder. What cannot be linked file by file is copied.
  const packages = [join(project, 'node_modules'), join(folder, 'node_modules')]
  await run('cp', ['-al', ...packages]).catch(() => run('cp', ['-a', ...packages]))
  await run('make', ['build', 'launchers'], { cwd: folder, maxBuffer: MOST_OUTPUT })
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: folder })
  return { folder, tarball: join(folder, stdout.trim()) }
}

/** What it prints, also when it has found something. */
async function npm(project: string, ...argv: string[]): Promise<string> {
  const found = await run('npm', argv, { cwd: project, maxBuffer: MOST_OUTPUT }).catch(
    (error: { stdout?: string }) => error
  )
  return found.stdout || '{}'
}

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

async function filesIn(tarball: string): Promise<Packed[]> {
  const files: Packed[] = []
  await list({
    file: tarball,
    onReadEntry(entry) {
      const parts: Buffer[] = []
      entry.on('data', (part: Buffer) => parts.push(part))
      entry.on('end', () => {
        if (entry.type === 'File')
          files.push({
            path: entry.path.replace(/^package\//, ''),
            mode: entry.mode ?? 0,
            content: Buffer.concat(parts)
          })
      })
    }
  })
  return files
}
