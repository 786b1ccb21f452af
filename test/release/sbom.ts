/**
 * The bill of materials of a release: what npm says of all packages of the project, without those that are only needed to build it.
 * Equal for equal releases: it has no time, and its number follows from its content.
 */
import { createHash } from 'node:crypto'
import { idOf } from './components.ts'
import type { Component, Manifest, Sbom } from './release.ts'

/** @param said what `npm sbom` prints @param ownLicence what a package says itself where npm knows none */
export function sbomOf(
  said: Sbom,
  manifest: Manifest,
  components: Component[],
  ownLicence: (one: Component) => string | undefined = () => undefined
): Sbom {
  const wanted = new Set(components.map(idOf))
  const own = `${manifest.name}@${manifest.version}`
  const { timestamp: _, ...metadata } = said.metadata
  const kept = said.components
    .filter((one) => wanted.has(idOf(one)))
    // That it is no dependency of the package itself is true, and would be read as if it were not in it.
    .map((one) => ({ ...one, properties: one.properties?.filter(({ name }) => name !== DEVELOPMENT) ?? [] }))
    .map((one) => {
      if (one.licenses?.length) return one
      const expression = ownLicence(one)
      return expression === undefined ? one : { ...one, licenses: [{ expression }] }
    })
    .sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
  const refs = new Set([own, ...kept.map((one) => one['bom-ref'])])
  const dependencies = said.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: (ref === own ? kept.map((one) => one['bom-ref']) : dependsOn).filter((one) => refs.has(one)).sort()
    }))
    .sort((one, other) => (one.ref < other.ref ? -1 : 1))
  const { serialNumber: _number, ...rest } = said
  const content = {
    ...rest,
    metadata: { ...metadata, component: { ...metadata.component, name: manifest.name } },
    components: kept,
    dependencies
  }
  return { ...content, serialNumber: numberOf(JSON.stringify(content)) }
}

const DEVELOPMENT = 'cdx:npm:package:development'

/** A UUID (version 8: of our own making). */
function numberOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}
