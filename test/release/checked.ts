/** All checks of a release. */
import { advisories } from './checks/advisories.ts'
import { contents } from './checks/contents.ts'
import { installing } from './checks/installing.ts'
import { licences } from './checks/licences.ts'
import { provenance } from './checks/provenance.ts'
import { tests } from './checks/tests.ts'
import { version } from './checks/version.ts'
import type { Check, Release } from './release.ts'

const CHECKS: Record<string, Check> = {
  'version, changelog and git say the same': version,
  'all tests have passed, the long ones too': tests,
  'the tarball has what it promises, and nothing else': contents,
  'pages install this package, and no other of its name': installing,
  'licences of all packages': licences,
  'origin: fields for npm, and two builds are equal': provenance,
  'vulnerabilities that the registry knows of': advisories
}

export interface Checked {
  check: string
  problems: string[]
}

export const checked = (release: Release): Promise<Checked[]> =>
  Promise.all(Object.entries(CHECKS).map(async ([check, of]) => ({ check, problems: await of(release) })))
