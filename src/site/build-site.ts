/** Builds the documentation: Eleventy makes files of the pages, esbuild what a browser runs beside them. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Eleventy, { type UserConfig } from '@11ty/eleventy'
import { build } from 'esbuild'
import { openApiDocument } from '../api/contract/document/document.ts'
import { VERSION } from '../version.ts'
import { headingsOf } from './html.ts'
import { layout } from './layout.ts'
import { API, navigation, type Section, tasksIn } from './map.ts'
import { amendMarkdown } from './markdown.ts'
import type { Page } from './page.ts'
import { searchIndex } from './search-index.ts'
import { readSources } from './sources.ts'
import { apiPages } from './tables/api-pages.ts'
import { filledText } from './tables/parts.ts'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
/** Eleventy wants a folder of texts; ours are read before. */
const NO_TEXTS = 'dist/src/site/browser'
const MAP = 'docs/README.md'

export interface Site {
  /** Sources of pages that the navigation does not name. */
  lost: string[]
  /** Paths of modules inside the scripts. */
  inputs: string[]
}

// D1530: eleventy makes the site, and what it makes has no script in it
/** @param target folder, which is replaced; the working folder must be that of the project */
export async function buildSite(target: string): Promise<Site> {
  const { pages: written, files } = readSources(PROJECT, filledText)
  const api = apiPages(openApiDocument({ version: VERSION, base: '/api/v2' }))
  const pages = [...written, ...api, NOT_FOUND]
  const map = written.find(({ source }) => source === MAP)?.text ?? ''
  const sections = navigation(map, written)
  addApi(sections, api)
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const contents = await renderPages(target, { pages, sections, files })
  await writeFile(join(target, 'search.json'), searchIndex(contents, sections, tasksIn(map, written)))
  for (const [source, path] of files) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await copyFile(join(PROJECT, source), join(target, path))
  }
  await copyFile(join(PROJECT, 'src/page/icon.svg'), join(target, 'icon.svg'))
  const known = new Set(
    sections.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries.map(({ page }) => page)))
  )
  return {
    lost: written.filter((page) => page.source !== MAP && !known.has(page)).map(({ source }) => source),
    inputs: await bundle(target)
  }
}

const NOT_FOUND: Page = {
  source: '404.md',
  path: '404.html',
  title: 'No such page',
  text: '# No such page\n\nIt may have another address now. The search above finds pages by their words, and the [first page](docs/README.md) has a list of all.\n'
}

function addApi(sections: Section[], api: readonly Page[]): void {
  const reference = sections.find(({ title }) => title === 'Reference')
  reference?.groups.push({
    title: API,
    entries: api.map((page) => ({ title: page.title, page, anchor: '' }))
  })
}

interface Parts {
  pages: readonly Page[]
  sections: readonly Section[]
  files: ReadonlyMap<string, string>
}

/** @returns for each page its path, its title and its content */
async function renderPages(target: string, { pages, sections, files }: Parts): Promise<[string, string, string][]> {
  const places = { pages: new Map(pages.map((page) => [page.source, page])), files }
  const byTemplate = new Map(pages.map((page) => [page.source, page]))
  const contents = new Map<Page, string>()
  const configure = (config: UserConfig): void => {
    config.benchmarks.config.setIsVerbose(false)
    config.amendLibrary('md', (markdown) =>
      amendMarkdown(markdown, places, (env) => pageNamed(byTemplate, (env as { source?: string }).source))
    )
    for (const { source, path, text } of pages)
      config.addTemplate(source, text, { permalink: path, source, templateEngineOverride: 'md' })
    config.addTransform('layout', function (content) {
      const page = pageNamed(byTemplate, this.page.inputPath.slice(`./${NO_TEXTS}/`.length))
      contents.set(page, content)
      return layout({ page, content, headings: headingsOf(content), sections, version: VERSION })
    })
  }
  const eleventy = new Eleventy(NO_TEXTS, target, { quietMode: true, configPath: false, config: configure })
  await eleventy.init()
  eleventy.setIsVerbose(false)
  eleventy.disableLogger()
  await eleventy.write()
  // In an order of our own: rendering has none. The words of the map are found with the pages that they lead to.
  const searched = pages.filter((page) => page !== NOT_FOUND && page.source !== MAP)
  return searched.map((page) => [page.path, page.title, contents.get(page) ?? ''])
}

function pageNamed(pages: ReadonlyMap<string, Page>, source = ''): Page {
  const page = pages.get(source)
  if (!page) throw new Error(`there is no page ${source}`)
  return page
}

/** @returns paths of its modules */
async function bundle(target: string): Promise<string[]> {
  const browser = join(PROJECT, 'src/site/browser')
  const { metafile } = await build({
    entryPoints: ['site.ts', 'theme.ts', 'site.css'].map((name) => join(browser, name)),
    outdir: target,
    bundle: true,
    minify: true,
    metafile: true,
    target: 'es2022',
    format: 'iife',
    legalComments: 'none'
  })
  return Object.keys(metafile.inputs)
}
