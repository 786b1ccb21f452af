/** What npm ties the origin of a package to, and whether the tarball follows from the sources alone. */
import type { Check } from '../release.ts'

const ADDRESS = /^(git\+)?https:\/\/[^/]+\/.+/

export const provenance: Check = ({ manifest, digests }) => {
  const problems: string[] = []
  const { repository, bugs, publishConfig, license, engines } = manifest
  const address = typeof repository === 'string' ? repository : repository?.url
  if (!ADDRESS.test(address ?? ''))
    problems.push(
      `package.json, repository.url: wanted the https address of the public repository, to which npm ties the provenance, found ${address ?? 'nothing'}`
    )
  if (!(typeof bugs === 'string' ? bugs : bugs?.url))
    problems.push('package.json, bugs.url: wanted the address where problems are reported, found nothing')
  if (publishConfig?.provenance !== true)
    problems.push(
      `package.json, publishConfig.provenance: wanted true, found ${publishConfig?.provenance ?? 'nothing'}`
    )
  if (!license) problems.push('package.json, license: wanted one, found nothing')
  if (!engines?.node) problems.push('package.json, engines.node: wanted the versions of Node, found nothing')
  const [first, ...others] = Object.entries(digests)
  for (const [folder, digest] of others)
    if (first && digest !== first[1])
      problems.push(
        `tarball: built in ${first[0]} it has the digest ${first[1].slice(0, 12)}, in ${folder} ${digest.slice(0, 12)}: something in it depends on the folder or the hour`
      )
  if (others.length === 0)
    problems.push('tarball: it was built once only, so nobody knows whether it can be built again')
  return problems
}
