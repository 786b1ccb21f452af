/** Whether the registry knows a vulnerability of a package of the release. That it cannot be asked is a problem, too. */
import { idOf } from '../components.ts'
import type { Check } from '../release.ts'

export const advisories: Check = ({ audit: { vulnerabilities, message }, lock, components }) => {
  if (!vulnerabilities)
    return [
      `registry: it cannot be asked what it knows of vulnerabilities, found ${message ?? 'nothing'}: nobody knows whether there is one; ask another registry (npm audit --registry), or have a scanner read the SBOM`
    ]
  const inside = new Set(components.map(idOf))
  return Object.entries(vulnerabilities).flatMap(([name, { via, nodes }]) => {
    const found = nodes.map((place) => idOf({ name, version: lock.packages[place]?.version ?? '' }))
    return [...new Set(found)]
      .filter((id) => inside.has(id))
      .flatMap((id) =>
        via.flatMap((one) =>
          typeof one === 'string' ? [] : [`${id} has a known vulnerability (${one.severity}): ${one.title}, ${one.url}`]
        )
      )
  })
}
