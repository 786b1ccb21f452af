/** Whether every package of the release has a licence that ours may contain, and its text is in the tarball. */
import { idOf } from '../components.ts'
import type { Check, SbomComponent } from '../release.ts'

/** Permissive ones, as SPDX names them. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib'
])
const TEXTS = /(^|\/)licen[cs]es\.txt$/i

export const licences: Check = ({ sbom, components, bundled, files }) => {
  const known = new Map(sbom.components.map((one) => [idOf(one), one]))
  const texts = files.filter(({ path }) => TEXTS.test(path)).map(({ content }) => content.toString())
  const unknown = components.filter((one) => !known.has(idOf(one)))
  return [
    ...unknown.map((one) => `SBOM: ${idOf(one)} is in the release, and npm does not know it: run npm install`),
    ...sbom.components.flatMap(licenceProblem),
    ...bundled
      .filter(({ name, version }) => !texts.some((text) => text.includes(`${name} ${version}\n`)))
      .map((one) => `tarball: no LICENSES.txt has the licence of ${idOf(one)}, which is in a bundle`)
  ]
}

function licenceProblem(component: SbomComponent): string[] {
  const said = (component.licenses ?? []).map(
    ({ license, expression }) => expression ?? license?.id ?? license?.name ?? ''
  )
  const alternatives = said.flatMap((one) => one.replace(/^\((.*)\)$/, '$1').split(' OR '))
  if (alternatives.some((one) => one.split(' AND ').every((name) => ALLOWED.has(name)))) return []
  return [`licence of ${idOf(component)}: wanted a permissive one, found ${said.join(', ') || 'none'}`]
}
