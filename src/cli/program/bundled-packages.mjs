/** The packages that a bundle has inside: their licences, as these ask for it, and a list of them for who checks a release (`test/release/`). */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LISTS = fileURLToPath(new URL('../../../dist/bundled/', import.meta.url))

/**
 * Writes both: the licences to `path`, and names and versions to `dist/bundled/<name>.json`.
 * @param name of the bundle
 * @param inputs paths of its modules, as esbuild tells them
 * @param what is said above the licences
 * @param also what is inside and of no package: a name, a version and the text of its licence
 */
export async function notePackages(name, inputs, { path, what, also = [] }) {
  const packages = await packagesIn(inputs)
  await writeFile(path, licences(what, [...packages, ...also]))
  await mkdir(LISTS, { recursive: true })
  const list = packages.map(({ name, version }) => ({ name, version }))
  await writeFile(join(LISTS, `${name}.json`), `${JSON.stringify(list, undefined, 2)}\n`)
}

async function packagesIn(inputs) {
  const folders = new Set(inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean))
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file ? await readFile(join(folder, file), 'utf8') : `${license}, its package.json says`
      return { name, version, text: text.trim() }
    })
  )
}

function licences(what, packages) {
  const byText = new Map()
  for (const { name, version, text } of packages) byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`])
  const texts = Array.from(byText, ([text, names]) => `${names.join('\n')}\n\n${text}\n`)
  return `${what} these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`
}
