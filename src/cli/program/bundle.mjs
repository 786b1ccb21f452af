/**
 * Makes `dist/bin/` from what the compiler wrote. `program/` is the program in a few files (`packs.mjs`): its own modules, and the packages
 * that every server starts with. What is `import()`ed late stays outside if it is a package, or is in a file of `dist/lib/`
 * (`src/host/bundle.mjs`, which runs before), and is evaluated late if it is not. Not minified, so that a stack can be read.
 * `troupe.js` starts it with its compiled code, which first lives of it leave here (`warm.mjs`).
 * Run by `make build` and `npm run build`. Source: performance 5.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { asCommonJs, here, IN_PARTS, LATE, OWN, patches, placeInLib, placesFrom } from './bundle-parts.mjs'
import { notePackages } from './bundled-packages.mjs'
import { asMember, packsOf } from './packs.mjs'

const target = here('../../../dist/bin/')
const program = join(target, 'program/')

/** Found from the package: undici is large and hardly ever needed at once, the API is one with its SDK. */
const OUTSIDE = ['undici', '@opentelemetry/api']
/** Inside, but for its native parts, which it looks for beside itself: it is told where that is (`bundle-patches.mjs`). */
const STORE = here('../../../node_modules/lmdb/dist/index.cjs')
/** Inside, though it is loaded late: many workflows need it, and here it is compiled already. */
const INSIDE = ['execa']

const packages = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const isOwn = OWN.test(importer)
      if (INSIDE.includes(path)) return undefined
      if (path === 'lmdb') return kind === 'require-resolve' ? { path, external: true } : { path: STORE }
      if (isOwn && LATE.includes(path)) return { path: `../../lib/${placeInLib(path)}.cjs`, external: true }
      return (isOwn && kind === 'dynamic-import') || OUTSIDE.includes(path) ? { path, external: true } : undefined
    })
  }
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
const { outputFiles, metafile } = await build({
  ...shared,
  entryPoints: entry('main'),
  outdir: program,
  write: false,
  ...IN_PARTS,
  plugins: [packages, patches, placesFrom(program)],
  metafile: true
})
await mkdir(program)
const texts = new Map(outputFiles.map(({ path, text }) => [basename(path).replace(/\.js$/, '.cjs'), text]))
const before = new Set()
for (const [pack, names] of packsOf(metafile.outputs)) {
  for (const name of names) before.add(name)
  const isLater = (name) => !before.has(name)
  const parts = await Promise.all(names.map(async (name) => asMember(name, await asCommonJs(texts.get(name)), isLater)))
  // Read as one byte for each character (`compiled.ts`), which only comments may fall short of: esbuild escapes all other text.
  const code = `module.exports = {\n${parts.join(',\n')}\n}\n`
  const wide = /^(?! *(?:\/\/|\/?\*)).*[^\0-\x7f].*$/m.exec(code)
  if (wide) throw new Error(`${pack}: wanted ASCII, found ${wide[0]}`)
  await writeFile(join(program, pack), code)
}
await notePackages('program', Object.keys(metafile.inputs), {
  path: join(target, 'LICENSES.txt'),
  what: 'The files of `program/` contain'
})
execFileSync(process.execPath, [here('warm.mjs')], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120_000 })
