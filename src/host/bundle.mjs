/**
 * Makes `dist/lib/` from what the compiler wrote: what a host application loads, in a few files instead of hundreds, with the packages that
 * every engine needs. What is `import()`ed late stays late. The files are CommonJS, which is read faster, and the modules that
 * `import 'troupe'` finds only pass it on: so there is one engine in a process, however it was loaded. Our code is not minified, so that a
 * stack can be read. Beside it `dist/types/`: the declarations that these need, for hosts of both kinds.
 * Run by `make build` and `npm run build`, before the bundle of the program, which uses some of the files.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import {
  asCommonJs,
  DIST,
  here,
  IN_PARTS,
  LATE,
  LIB,
  OWN,
  PROGRAMS,
  patches,
  placeInLib,
  placesFrom
} from '../cli/program/bundle-parts.mjs'
import { notePackages } from '../cli/program/bundled-packages.mjs'
import { writeTypes } from './bundle-types.mjs'

const manifest = JSON.parse(await readFile(here('../../../package.json'), 'utf8'))
/** The exports of `package.json`: files of `dist/lib/` without extensions, and the modules below `dist/src/` that they come from. */
const doors = Object.values(manifest.exports).flatMap((door) => {
  if (!door.import) return []
  const [, out = ''] = /^\.\/dist\/lib\/(\w+)\.mjs$/.exec(door.import.default) ?? []
  const [, module = ''] = /^\.\/dist\/types\/esm\/src\/(.+)\.d\.ts$/.exec(door.import.types) ?? []
  if (!out || !module)
    throw new Error(`package.json exports ${JSON.stringify(door)}: wanted files of dist/lib and dist/types`)
  return [{ out, module }]
})
/** Runs in a browser, too, and needs nothing: it stays a module, and is one file. */
const isClient = ({ out }) => out === 'client'
const inside = doors.filter((door) => !isClient(door))

const external = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).flatMap((name) => [
  name,
  `${name}/*`
])

const late = {
  name: 'late packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) =>
      kind !== 'entry-point' && OWN.test(importer) && LATE.includes(path)
        ? { path: `./${placeInLib(path)}.cjs`, external: true }
        : undefined
    )
  }
}

/** Parts of packages that are never used here. */
const unused = {
  name: 'unused parts',
  setup({ onResolve, onLoad }) {
    // Native, and only ever tried; of dockerode, what BuildKit needs, which would need gRPC.
    onResolve({ filter: /\.node$|^cpu-features$/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^\.\/session$/ }, ({ importer, path }) =>
      /dockerode\/lib\/docker\.js$/.test(importer) ? { path, namespace: 'unused' } : undefined
    )
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: 'module.exports = () => { throw new Error("images are built without BuildKit") }'
    }))
  }
}

const compiled = (module) => join(DIST, 'src', `${module}.js`)
const entryPoints = [
  ...inside.map(({ out, module }) => ({ in: compiled(module), out })),
  ...PROGRAMS.map((module) => ({ in: compiled(module), out: placeInLib(module) })),
  ...LATE.map((name) => ({ in: name, out: placeInLib(name) }))
]
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true
}
const { outputFiles, metafile } = await build({
  ...shared,
  entryPoints,
  ...IN_PARTS,
  write: false,
  outdir: LIB,
  external,
  plugins: [late, unused, patches, placesFrom(LIB)]
})
const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))

/** Nothing of ours: of an error there only the names in its stack are of use. */
const isForeign = (name) => Object.keys(outputs.get(name).inputs).every((path) => path.includes('node_modules/'))

await rm(LIB, { recursive: true, force: true })
await mkdir(LIB, { recursive: true })
for (const { path, text } of outputFiles) {
  const name = basename(path)
  const code = await asCommonJs(text, isForeign(name))
  const isPackage = outputs.get(name)?.exports.join() === 'default'

  // A package that is CommonJS is what it exports.
  await writeFile(
    join(LIB, name.replace(/\.js$/, '.cjs')),
    code + (isPackage ? 'module.exports = module.exports.default;\n' : '')
  )
}
for (const { out: name } of inside) {
  const names = outputs.get(`${name}.js`).exports.join(', ')
  // Not by `import`, which would first look for the names in the file.
  const text = `import { createRequire } from 'node:module'\n\nexport const { ${names} } = createRequire(import.meta.url)('./${name}.cjs')\n`
  await writeFile(join(LIB, `${name}.mjs`), text)
}
for (const { out, module } of doors.filter(isClient))
  for (const [format, extension] of Object.entries({ esm: 'mjs', cjs: 'cjs' }))
    await build({
      ...shared,
      platform: 'neutral',
      entryPoints: [compiled(module)],
      format,
      outfile: join(LIB, `${out}.${extension}`)
    })
await notePackages('library', Object.keys(metafile.inputs), {
  path: join(LIB, 'LICENSES.txt'),
  what: 'The files here contain'
})
await writeTypes(
  doors.map(({ module }) => module),
  dirname(LIB)
)
