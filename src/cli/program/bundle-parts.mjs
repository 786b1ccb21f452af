/** What the bundles of the program and of the library have in common: which packages are inside, and where files are found from there. */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { PATCHES, patched } from './bundle-patches.mjs'

export const here = (path) => fileURLToPath(new URL(path, import.meta.url))
export const DIST = here('../../../dist/')
export const LIB = join(DIST, 'lib/')
export const OWN = /\/dist\/(src|machines)\/.*\.js$/

/** Modules that run in a thread or a process of their own: each is a file of `dist/lib/`. */
export const PROGRAMS = [
  'backup/sending-program',
  'definitions/text-worker',
  'doctor/aside-program',
  'executors/archive/worker',
  'executors/jq/worker',
  'executors/launcher/mask-program',
  'executors/processes/prefetch-worker',
  'store/damage/whole-program'
]
/** These are read as texts, and stay where they are. */
const TEXTS = ['executors/gha/artifacts/server']

// D1096: a host loads a few files, in which the pure packages are
/** Packages that are inside, each in a file of `dist/lib/`, since few engines need them. */
export const LATE = [
  'ajv',
  'ajv/dist/2019.js',
  'ajv/dist/2020.js',
  'dockerode',
  'execa',
  'jose',
  'nodemailer/lib/addressparser',
  'nodemailer/lib/mime-node',
  'nodemailer/lib/smtp-connection',
  'openid-client',
  'ssh2',
  'tar',
  'yauzl',
  'yazl',
  '@grpc/grpc-js',
  '@nats-io/transport-node',
  '@opentelemetry/exporter-trace-otlp-grpc',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node'
]

/** Name in `dist/lib/` without its extension. */
export const placeInLib = (path) => path.replace(/^@/, '').replace(/\.js$/, '').replaceAll('/', '-')

const PROGRAM = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g

/**
 * Files are found from where a module was written, not from where it was put; programs from where they were put.
 * @param target folder of the bundle
 */
export const placesFrom = (target) => ({
  name: 'places',
  setup({ onLoad }) {
    const urlOf = (path) =>
      `require('node:url').pathToFileURL(__dirname + ${JSON.stringify(`/${relative(target, path)}`)})`
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      if (!OWN.test(path)) throw new Error(`${path} wants its place, which it does not have in a bundle`)
      const contents = text
        .replaceAll('createRequire(import.meta.url)', 'require') // a package loaded late without a promise
        .replaceAll(PROGRAM, (found, name) => {
          const module = relative(join(DIST, 'src'), join(dirname(path), name))
          if (TEXTS.includes(module)) return found
          if (!PROGRAMS.includes(module))
            throw new Error(`${path} starts ${name}.js: give it a row in PROGRAMS or TEXTS`)
          return urlOf(join(LIB, `${placeInLib(module)}.cjs`))
        })
        .replaceAll('import.meta.url', `${urlOf(path)}.href`)
      return { contents }
    })
  }
})

export const patches = {
  name: 'patches',
  setup({ onLoad }) {
    for (const patch of PATCHES)
      onLoad({ filter: patch.file }, async ({ path }) => ({
        contents: patched(patch, path, await readFile(path, 'utf8')),
        loader: path.endsWith('.json') ? 'json' : 'js'
      }))
  }
}

/** One file for what several parts need, and one for each that is loaded late. */
export const IN_PARTS = { format: 'esm', splitting: true } // esbuild splits no other

/** A part as CommonJS, which is read faster. @param minified without white space */
export async function asCommonJs(text, minified = false) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    minifyWhitespace: minified
  })
  return code.replace(/\brequire\("(\.\/[^"]+)\.js"\)/g, 'require("$1.cjs")')
}
