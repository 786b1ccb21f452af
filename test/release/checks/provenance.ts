/** What npm ties the origin of a package to, and whether the tarball follows from the sources alone. */
import type { Check, Packed } from '../release.ts'

const ADDRESS = /^(git\+)?https:\/\/[^/]+\/.+/

export const provenance: Check = ({ manifest, digest, files, again }) => {
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
  for (const { digest: other, files: others } of again)
    if (other !== digest)
      problems.push(
        `tarball: wanted the same from a build in another folder, found ${differing(files, others).slice(0, 5).join(', ')} different: something in it depends on the folder or the hour`
      )
  if (again.length === 0)
    problems.push('tarball: it was built once only, so nobody knows whether it can be built again')
  return problems
}

/** Paths of files that are not in both, or not equal. */
function differing(files: Packed[], others: Packed[]): string[] {
  const left = new Map(others.map((file) => [file.path, file]))
  const found = files.filter(({ path, mode, content }) => {
    const other = left.get(path)
    left.delete(path)
    return !(other?.mode === mode && other.content.equals(content))
  })
  return [...found.map(({ path }) => path), ...left.keys()]
}
