/** The pages that are written by hand, and the files beside them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageOf } from './page.ts'

/** Pages outside `docs/`. */
const OTHERS: Record<string, string> = {
  'machines/README.md': 'charts.html',
  'SECURITY.md': 'security.html',
  'CHANGELOG.md': 'changelog.html'
}
/** What is only a link on the site. */
const FILES = /\.(?:json|ya?ml|png|svg)$/

/** @param project its folder @param filled what of a text is made by tables */
export function readSources(project: string, filled: (source: string, text: string) => string) {
  const names = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' }).sort()
  const paths = new Map([
    ...names.filter((name) => name.endsWith('.md')).map((name): [string, string] => [`docs/${name}`, pathOf(name)]),
    ...Object.entries(OTHERS)
  ])
  return {
    pages: Array.from(paths, ([source, path]) =>
      pageOf(source, path, filled(source, readFileSync(join(project, source), 'utf8')))
    ),
    /** Paths of files that pages link to, from the project's folder, and where they are on the site. */
    files: new Map(names.filter((name) => FILES.test(name)).map((name) => [`docs/${name}`, name]))
  }
}

const pathOf = (name: string) => name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
