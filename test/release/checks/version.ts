/** Whether everything calls the release by the same version, and the changelog says what is in it. */
import type { Check } from '../release.ts'

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/
const SECTION = /^## (.*)$/gm

export const version: Check = ({ manifest, lock, changelog, git, recorded }) => {
  const problems: string[] = []
  const own = manifest.version
  if (own.endsWith('-dev'))
    return [`package.json: ${own} is what a checkout says between two releases: give it the version of the release`]
  if (!SEMVER.test(own)) problems.push(`package.json: wanted a version such as 1.2.3, found ${own}`)
  for (const [where, found] of [
    ['package-lock.json', lock.version],
    ['package-lock.json, packages[""]', lock.packages['']?.version]
  ])
    if (found !== own)
      problems.push(`${where}: wanted version ${own}, found ${found}: run npm install --package-lock-only`)
  for (const kind of ['store', 'releases'])
    if (!recorded.includes(kind))
      problems.push(
        `fixtures/${kind}: wanted ${own}, with which later releases are tested, found none: run make record`
      )
  const [first = 'nothing', second = ''] = Array.from(changelog.matchAll(SECTION), ([, title]) => title)
  const isOwn = (title: string) => new RegExp(`^${own.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`).test(title)
  if (first === 'Unreleased' && isOwn(second))
    problems.push(
      `CHANGELOG.md: ${own} is described, and there is more under "Unreleased": give it a version and a date`
    )
  else if (!isOwn(first))
    problems.push(`CHANGELOG.md: wanted "## ${own} - YYYY-MM-DD" as the first section, found "## ${first}"`)
  for (const tag of [own, `v${own}`])
    if (git.tags.includes(tag)) problems.push(`git: the tag ${tag} is there: this version has been released`)
  if (git.changed.length > 0)
    problems.push(`git: wanted a checkout without changes, found ${git.changed.slice(0, 5).join(', ')}: commit first`)
  return problems
}
