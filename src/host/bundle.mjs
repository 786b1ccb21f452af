/**
 * Makes `dist/lib/` from what the compiler wrote: what a host application loads, in a few files instead of hundreds, with the packages that
 * every engine needs. What is `import()`ed late stays late. The files are CommonJS, which is read faster, and the modules that
 * `import 'troupe'` finds only pass it on: so there is one engine in a process, however it was loaded. Not minified, so that a stack
 * can be read. Beside it `dist/types/`: the declarations that these need, for hosts of both kinds.
 * Run by `make build` and `npm run build`, before the bundle of the program, which uses some of the files.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, transform } from 'esbuild'
import {
  DIST,
  here,
  LATE,
  LIB,
  licences,
  OWN,
  PROGRAMS,
  patches,
  placeInLib,
  placesFrom
} from '../cli/program/bundle-parts.mjs'
import { writeTypes } from './bundle-types.mjs'

/** What `package.json` exports. */
const DOORS = { index: 'index', http: 'http/index' }
/** Runs in a browser, too, and needs nothing: it stays a module, and is one file. */
const CLIENT = 'client/index'

const { dependencies, optionalDependencies } = JSON.parse(await readFile(here('../../../package.json'), 'utf8'))
const external = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => [name, `${name}/*`])
/** Cannot be `require`d. */
const MODULES_ONLY = /\bimport\("(jose|openid-client)"\)/g

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
  ...Object.entries(DOORS).map(([out, module]) => ({ in: compiled(module), out })),
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
  format: 'esm', // only then what several of them need is a file of its own
  splitting: true,
  write: false,
  outdir: LIB,
  external,
  plugins: [late, unused, patches, placesFrom(LIB)]
})
const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))

await rm(LIB, { recursive: true, force: true })
await mkdir(LIB, { recursive: true })
for (const { path, text } of outputFiles) {
  const name = basename(path)
  const { code } = await transform(text.replace(MODULES_ONLY, 'keptImport("$1")'), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false }
  })
  const isPackage = outputs.get(name)?.exports.join() === 'default'
  const ownFiles = code
    .replace(/\brequire\("(\.\/[^"]+)\.js"\)/g, 'require("$1.cjs")')
    .replaceAll('keptImport(', 'import(')
  // A package that is CommonJS is what it exports.
  await writeFile(
    join(LIB, name.replace(/\.js$/, '.cjs')),
    ownFiles + (isPackage ? 'module.exports = module.exports.default;\n' : '')
  )
}
for (const name of Object.keys(DOORS)) {
  const names = outputs.get(`${name}.js`).exports.join(', ')
  // Not by `import`, which would first look for the names in the file.
  const text = `import { createRequire } from 'node:module'\n\nexport const { ${names} } = createRequire(import.meta.url)('./${name}.cjs')\n`
  await writeFile(join(LIB, `${name}.mjs`), text)
}
for (const [format, file] of Object.entries({ esm: 'client.mjs', cjs: 'client.cjs' }))
  await build({ ...shared, platform: 'neutral', entryPoints: [compiled(CLIENT)], format, outfile: join(LIB, file) })
await writeFile(join(LIB, 'LICENSES.txt'), await licences('The files here contain', Object.keys(metafile.inputs)))
await writeTypes([...Object.values(DOORS), CLIENT], dirname(LIB))
