/**
 * One file or folder of tests after an edit, without waiting for types: `node test/one.mjs test/machines/run.test.ts [--watch] [options of mocha]`.
 * What is newer than its output in `dist/` is transpiled there, in the layout of tsc, whose next build writes those files again.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, watch, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'esbuild'

const ROOTS = ['machines', 'src', 'test']
const PROJECT = resolve(import.meta.dirname, '..')
process.chdir(PROJECT)

/** When each output was written here: if tsc has written it since, that may be of the text before the latest edit. */
const WRITTEN = 'dist/one.json'
/** What a build by tsc takes at most. */
const BUILD_MS = 60_000

const outputOf = (source) => join('dist', source.replace(/\.tsx?$/, '.js'))
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const jsonIn = (path, otherwise) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise)

function newer(written) {
  const sources = ROOTS.flatMap((root) => readdirSync(root, { recursive: true }).map((name) => join(root, name)))
  return sources.filter((source) => {
    if (!/(?<!\.d)\.tsx?$/.test(source)) return false
    const [edited, made] = [changedAt(source), changedAt(outputOf(source))]
    const isForeign = source in written && written[source] !== made
    return edited > made || (isForeign && made - edited < BUILD_MS)
  })
}

/** Imports stay imports, of the outputs. */
const external = {
  name: 'external',
  setup: ({ onResolve }) =>
    onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/^(\..*)\.tsx?$/, '$1.js'), external: true }
    )
}

// D1651: a build by tsc takes half a minute, as all depends on the charts
async function transpile() {
  const written = jsonIn(WRITTEN, {})
  const entryPoints = newer(written)
  if (entryPoints.length === 0) return
  await build({
    entryPoints,
    outdir: 'dist',
    outbase: '.',
    bundle: true,
    treeShaking: false,
    plugins: [external],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error'
  })
  for (const source of entryPoints) written[source] = changedAt(outputOf(source))
  writeFileSync(WRITTEN, JSON.stringify(written))
  leaveToTsc(entryPoints)
}

/** Notes the files as still to be written: an edit that is taken back is none for tsc, and its output would stay. */
function leaveToTsc(sources) {
  for (const project of ['machines', 'page', 'troupe']) {
    const path = `dist/${project}.tsbuildinfo`
    const info = jsonIn(path, undefined)
    if (!info?.fileNames) continue
    const ids = new Map(info.fileNames.map((name, index) => [join('dist', name), index + 1]))
    const own = sources.flatMap((source) => ids.get(source) ?? [])
    if (own.length === 0) continue
    const { mtimeMs, atimeMs } = statSync(path)
    info.affectedFilesPendingEmit = [...new Set([...(info.affectedFilesPendingEmit ?? []), ...own])]
    writeFileSync(path, JSON.stringify(info))
    utimesSync(path, atimeMs / 1_000, mtimeMs / 1_000)
  }
}

/** As mocha has it: the output of a file of tests, or of all in a folder. */
function argument(word) {
  const path = relative(PROJECT, resolve(process.env.INIT_CWD ?? PROJECT, word))
  if (/^test\/.*\.test\.tsx?$/.test(path)) return outputOf(path)
  return /^test\b/.test(path) && existsSync(path) ? `dist/${path}/**/*.test.js` : word
}

const words = process.argv.slice(2)
const isWatching = words.includes('--watch')
const args = words.filter((word) => word !== '--watch').map(argument)

async function play() {
  try {
    await transpile()
  } catch {
    return 1 // esbuild has said where
  }
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], { stdio: 'inherit' })
  return new Promise((ended) => mocha.once('exit', (code) => ended(code ?? 1)))
}

process.exitCode = await play()
if (isWatching) {
  let timer
  let playing = Promise.resolve()
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      playing = playing.then(play)
    }, 100)
  }
  for (const root of ROOTS) watch(root, { recursive: true }, soon)
}
