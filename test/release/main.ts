/**
 * `make release-check`: builds the package twice from what git has, and looks at everything that must hold before it is published. A line
 * for each check; exit code 1 when something was found, 2 when nothing could be built. `JSON=1`: one line of JSON. Leaves the tarball and its bill of materials
 * (CycloneDX) in `dist/release/`. See README.md.
 */
import { join } from 'node:path'
import { PROJECT } from '../support/project.ts'
import { checked } from './checked.ts'
import { readRelease } from './read-release.ts'

/** Of what a tool says when it fails. */
const LAST_LINES = 10

const out = join(PROJECT, 'dist', 'release')
const release = await readRelease(PROJECT, out, (what) => console.error(`${what} ...`)).catch(giveUp)
const results = await checked(release)
const { name, version } = release.manifest
const ok = results.every(({ problems }) => problems.length === 0)
if (process.env.JSON) console.log(JSON.stringify({ name: 'release-check', version, ok, results }))
else {
  for (const { check, problems } of results) {
    console.log(`${problems.length === 0 ? 'ok     ' : 'PROBLEM'} ${check}`)
    for (const problem of problems) console.log(`        ${problem}`)
  }
  const { length } = release.components
  console.log(`${name} ${version}: ${release.files.length} files, ${length} packages; tarball and SBOM are in ${out}`)
}
process.exit(ok ? 0 : 1)

/** Nothing can be said of what cannot be built. */
function giveUp(error: Error & { stderr?: string }): never {
  console.error(error.stderr?.trim().split('\n').slice(-LAST_LINES).join('\n') || error.message)
  console.error('the package could not be built: nothing was checked')
  process.exit(2)
}
