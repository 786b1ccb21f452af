/**
 * Makes `dist/bin/` from what the compiler wrote: the program `troupe` in a few files instead of several hundred, which Node finds,
 * reads and links one by one at every start. What a command loads late is a file of its own, as before. Packages stay outside, and
 * so does whoever embeds the engine: `import 'troupe'` reads `dist/src`. Not minified, so that a stack can be read.
 * Run by `make build` and `npm run build`. Source: performance 5.
 */
import { readFile, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const target = here('../../dist/bin/')

/** Workers, the page and the package are found from where a module was written, not from where it was put. */
const ownPlaces = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/(src|machines)\/.*\.js$/ }, async ({ path }) => {
      const place = `new URL(${JSON.stringify(relative(target, path))}, import.meta.url).href`
      return { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', place) }
    })
  }
}

await rm(target, { recursive: true, force: true })
await build({
  entryPoints: [{ in: here('../../dist/src/cli/main.js'), out: 'troupe' }],
  outdir: target,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  chunkNames: 'part-[hash]',
  legalComments: 'none',
  plugins: [ownPlaces],
  logLevel: 'warning'
})
