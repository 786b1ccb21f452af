/**
 * Builds `dist/page/` from this folder: the files that the server serves to a browser. Names contain a hash of the content, so that a
 * browser can cache them forever. Run by `make build` and `npm run build`, after the compiler: the chart layouts are computed from its
 * output.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ELK from 'elkjs'
import { build } from 'esbuild'
import { definitionSchema } from '../../dist/src/definition/fields/schema.js'
import { chart, charts } from '../../dist/src/inspect/charts.js'
import { elkOf } from '../../dist/src/page/chart/chart-shape.js'
import { notePackages } from '../cli/program/bundled-packages.mjs'
import { twoScripts } from './later/shared.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const target = here('../../dist/page/')

const OPTIONS = {
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact'
}
/** Paths of all modules. */
const inputs = []
const bundled = async (entry, options = {}) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    ...OPTIONS,
    ...options
  })
  inputs.push(...Object.keys(metafile.inputs))
  return outputFiles[0].contents
}

/** Writes a file under a name with a hash of its content. @returns the name */
const keep = async (name, content) => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10)
  const extension = extname(name)
  const kept = `${basename(name, extension)}-${hash}${extension}`
  await writeFile(join(target, kept), content)
  return kept
}

await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })

// D454: charts are laid out by ELK at build time
// Charts change with the build only. ELK takes seconds for one, and 1.6 MB in a browser: so it runs here.
const elk = new ELK()
const layouts = await Promise.all(charts().map(async ({ id }) => [id, await elk.layout(elkOf(chart(id)))]))
const laid = await keep('charts.json', JSON.stringify(Object.fromEntries(layouts)))
const dagre = await keep('dagre.js', await bundled('run/graph/dag-layout-worker.ts', { format: 'iife' }))
const editor = await keep(
  'editor.js',
  await bundled('editor/text/text-editor.ts', {
    format: 'iife',
    define: { DEFINITION_SCHEMA: JSON.stringify(definitionSchema()) }
  })
)
const cron = await keep('cron.js', await bundled('schedule/cron-file.ts', { format: 'iife' }))
const define = {
  CRON_FILE: JSON.stringify(cron),
  CHARTS_FILE: JSON.stringify(laid),
  DAG_LAYOUT_FILE: JSON.stringify(dagre),
  EDITOR_FILE: JSON.stringify(editor)
}
// D1721: the page has its own font, and one file of tokens
const font = await keep('inter.woff2', await readFile(here('fonts/inter.woff2')))
// D923: the page's script is not a module
const files = {
  // Not a module: browsers send Origin for one, and behind a proxy that rewrites Host it would be a foreign origin.
  page: await keep(
    'page.js',
    await twoScripts(
      { ...OPTIONS, define },
      { first: here('main.tsx'), second: here('later/views.tsx') },
      async (views) => ({ VIEWS_FILE: JSON.stringify(await keep('views.js', views)) }),
      (paths) => inputs.push(...paths)
    )
  ),
  theme: await keep('theme.js', await bundled('theme.ts', { format: 'iife' })),
  font,
  // In the folder of the styles.
  styles: await keep(
    'styles.css',
    Buffer.from(await bundled('styles/index.css', { external: ['*.woff2'] }))
      .toString()
      .replace('../fonts/inter.woff2', font)
  ),
  icon: await keep('icon.svg', await readFile(here('icon.svg')))
}
const index = await readFile(here('index.html'), 'utf8')
await writeFile(
  join(target, 'index.html'),
  index.replace(/\{\{(\w+)\}\}/g, (found, name) => (files[name] === undefined ? found : `page/${files[name]}`))
)
await notePackages('page', inputs, {
  path: join(target, 'licenses.txt'),
  what: 'The page contains',
  also: [{ name: 'Inter', version: '4.1', text: await readFile(here('fonts/OFL.txt'), 'utf8') }]
})
