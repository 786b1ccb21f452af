/**
 * Makes `dist/page/` from this folder: the files that the server hands to a browser. Names hold a hash of their content, so a
 * browser keeps them for good and never has an old one. Run by `make build` and `npm run build`.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const target = here('../../dist/page/')
const packages = here('../../node_modules/')

const bundled = async (entry, options = {}) => {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    ...options
  })
  return outputFiles[0].contents
}

/** Writes a file under a name that tells its content. @returns the name */
const keep = async (name, content) => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10)
  const extension = extname(name)
  const kept = `${basename(name, extension)}-${hash}${extension}`
  await writeFile(join(target, kept), content)
  return kept
}

const licence = async (name) => {
  const folder = join(packages, name)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  return `${name}\n\n${await readFile(join(folder, file), 'utf8')}`
}

await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })

// Elk is a file of its own, as it was published, and is only loaded when a chart is drawn.
const elk = await keep('elk.js', await readFile(join(packages, 'elkjs/lib/elk-worker.min.js')))
const dagre = await keep('dagre.js', await bundled('run/dag-layout-worker.ts', { format: 'iife' }))
const define = { ELK_FILE: JSON.stringify(elk), DAG_LAYOUT_FILE: JSON.stringify(dagre) }
const files = {
  page: await keep('page.js', await bundled('main.tsx', { define })),
  theme: await keep('theme.js', await bundled('theme.ts', { format: 'iife' })),
  styles: await keep('styles.css', await bundled('styles/index.css')),
  icon: await keep('icon.svg', await readFile(here('icon.svg')))
}
const index = await readFile(here('index.html'), 'utf8')
await writeFile(
  join(target, 'index.html'),
  index.replace(/\{\{(\w+)\}\}/g, (found, name) => (files[name] === undefined ? found : `page/${files[name]}`))
)
const notices = await Promise.all(['preact', '@dagrejs/dagre', 'elkjs'].map(licence))
await writeFile(join(target, 'licenses.txt'), notices.join(`\n\n${'-'.repeat(80)}\n\n`))
