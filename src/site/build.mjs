/** Builds `dist/docs-site/`, which a server serves at `/docs`. Run by `make docs` and before a release is packed, after the compiler. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSite } from '../../dist/src/site/build-site.js'
import { notePackages } from '../cli/program/bundled-packages.mjs'

process.chdir(fileURLToPath(new URL('../../', import.meta.url)))
const target = 'dist/docs-site'
const { lost, inputs } = await buildSite(target)
await notePackages('docs-site', inputs, { path: join(target, 'licenses.txt'), what: 'The scripts contain' })
if (lost.length > 0) {
  console.error(`docs/README.md has no link to ${lost.join(', ')}`)
  process.exitCode = 1
}
