/**
 * Makes `dist/bin/` from what the compiler wrote. `program.cjs` is the program in one file: its own modules, and the packages that
 * every server starts with. What is `import()`ed late stays outside if it is a package, and is evaluated late if it is not. Whoever
 * embeds the engine is not touched by this: `import 'troupe'` reads `dist/src`. Not minified, so that a stack can be read.
 * `troupe.js` starts it with its compiled code, which a first life of it leaves here (`warm.mjs`).
 * Run by `make build` and `npm run build`. Source: performance 5.
 */
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { PATCHES, patched } from './bundle-patches.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const target = here('../../../dist/bin/')
const OWN = /\/dist\/(src|machines)\/.*\.js$/

/** Found from the package: undici is large and hardly ever needed at once, the API is one with its SDK. */
const OUTSIDE = ['undici', '@opentelemetry/api']
/** Inside, but for its native parts, which it looks for beside itself: it is told where that is (`bundle-patches.mjs`). */
const STORE = here('../../../node_modules/lmdb/dist/index.cjs')
/** Cannot be `require`d, which is what becomes of an `import()`: a script with kept code has none. */
const MODULES_ONLY = ['execa', 'jose', 'openid-client']

const packages = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const isLate = kind === 'dynamic-import' && OWN.test(importer) && !MODULES_ONLY.includes(path)
      if (path === 'lmdb') return kind === 'require-resolve' ? { path, external: true } : { path: STORE }
      return isLate || OUTSIDE.includes(path) ? { path, external: true } : undefined
    })
  }
}

/** Workers, the page and the package are found from where a module was written, not from where it was put. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      if (!OWN.test(path)) throw new Error(`${path} wants its place, which it does not have in a bundle`)
      const place = `require('node:url').pathToFileURL(__dirname + ${JSON.stringify(`/${relative(target, path)}`)}).href`
      const contents = text
        .replaceAll('createRequire(import.meta.url)', 'require') // a package loaded late without a promise
        .replaceAll('import.meta.url', place)
      return { contents }
    })
  }
}

const patches = {
  name: 'patches',
  setup({ onLoad }) {
    for (const patch of PATCHES)
      onLoad({ filter: patch.file }, async ({ path }) => ({
        contents: patched(patch, path, await readFile(path, 'utf8')),
        loader: path.endsWith('.json') ? 'json' : 'js'
      }))
  }
}

/** The licences of the packages inside, as these ask for it. */
async function licences(inputs) {
  const folders = new Set(inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean))
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? await readFile(join(folder, file), 'utf8') : `${license}, its package.json says`
    return `${name} ${version}\n\n${text.trim()}\n`
  })
  return `\`program.cjs\` contains these packages.\n\n${(await Promise.all(texts)).join(`\n${'-'.repeat(72)}\n\n`)}`
}

await rm(target, { recursive: true, force: true })
const shared = { bundle: true, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning' }
const entry = (name) => [here(`../../../dist/src/cli/${name}.js`)]
await build({
  ...shared,
  entryPoints: entry('program/launch'),
  outfile: join(target, 'troupe.js'),
  format: 'cjs', // Node reads one without its loader for modules, which takes a while to come up
  define: { 'import.meta.dirname': '__dirname' }
})
await writeFile(join(target, 'package.json'), '{"type":"commonjs"}\n')
const { metafile } = await build({
  ...shared,
  entryPoints: entry('main'),
  outfile: join(target, 'program.cjs'),
  format: 'cjs',
  supported: { 'dynamic-import': false },
  plugins: [packages, patches, places],
  metafile: true
})
// Read as one byte for each character (`compiled.ts`), which only comments may fall short of: esbuild escapes all other text.
const wide = /^(?! *(?:\/\/|\/?\*)).*[^\0-\x7f].*$/m.exec(await readFile(join(target, 'program.cjs'), 'utf8'))
if (wide) throw new Error(`program.cjs: wanted ASCII, found ${wide[0]}`)
await writeFile(join(target, 'LICENSES.txt'), await licences(Object.keys(metafile.inputs)))
execFileSync(process.execPath, [here('warm.mjs')], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
