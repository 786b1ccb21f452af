/** Where a link of a page leads on the site. */
import { posix } from 'node:path'
import { type Page, relativePath } from './page.ts'

/** On the site the tutorial stands in the place of the README of the project. */
const INSTEAD: Record<string, string> = { 'README.md': 'docs/tutorial.md' }

export interface Places {
  pages: ReadonlyMap<string, Page>
  files: ReadonlyMap<string, string>
}

/** @returns undefined: it leads to a file of the sources, which are not on the site */
export function linkOf({ pages, files }: Places, page: Page, href: string): string | undefined {
  if (/^\w+:|^#/.test(href)) return href
  const [path = '', anchor] = href.split('#', 2)
  const named = posix.join(posix.dirname(page.source), decodeURI(path))
  const target = INSTEAD[named] ?? named
  const place = pages.get(target)?.path ?? files.get(target)
  if (place === undefined) return undefined
  return relativePath(page.path, place) + (anchor === undefined || target !== named ? '' : `#${anchor}`)
}
