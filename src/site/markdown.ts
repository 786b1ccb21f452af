/** What the site adds to Markdown: anchors of headings, links to pages of the site, colours of code, tables that scroll. */
import { createRequire } from 'node:module'
import { posix } from 'node:path'
import type { Markdown, MarkdownToken } from '@11ty/eleventy'
import { escapedText } from './html.ts'
import { type Page, relativePath } from './page.ts'

/** @param pageOf the page of what is rendered now */
export function amendMarkdown(markdown: Markdown, places: Places, pageOf: (env: unknown) => Page): void {
  markdown.core.ruler.push('troupe', ({ tokens, env }) => {
    const page = pageOf(env)
    const slugOf = slugs()
    liftHeadings(tokens)
    tokens.forEach((token, at) => {
      if (token.type === 'heading_open') token.attrSet('id', slugOf(wordsOf(tokens[at + 1])))
      for (const child of token.children ?? []) if (child.type === 'link_open') rewrite(child, places, page)
      if (token.type === 'inline') closeUnlinked(token)
      for (const child of token.children ?? [])
        if (child.type === 'image') child.attrSet('src', linkOf(places, page, child.attrGet('src') ?? '') ?? '')
    })
  })
  const { rules } = markdown.renderer
  rules.fence = (tokens, at) => {
    const { info = '', content = '' } = tokens[at] ?? {}
    const [word = ''] = info.split(' ')
    return `<div class="code"><pre class="scrolls"><code>${highlighted(content, word)}</code></pre></div>\n`
  }
  rules.table_open = () => '<div class="table scrolls"><table>\n'
  rules.table_close = () => '</table></div>\n'
}

/** A page without headings of the second level has those of the third in their place: who reads by headings misses none. */
function liftHeadings(tokens: readonly MarkdownToken[]): void {
  const headings = tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close')
  const levels = [...new Set(headings.map(({ tag }) => tag))].sort()
  for (const token of headings) token.tag = `h${levels.indexOf(token.tag) + 1}`
}

/** What a reader sees of a heading. */
const wordsOf = (inline: MarkdownToken | undefined) =>
  (inline?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')

function rewrite(link: MarkdownToken, places: Places, page: Page): void {
  const written = link.attrGet('href') ?? ''
  const href = linkOf(places, page, written)
  if (href !== undefined) {
    link.attrSet('href', href)
    return
  }
  link.tag = 'span'
  link.attrs = [
    ['class', 'source'],
    ['title', `In the sources: ${posix.join(posix.dirname(page.source), written)}`]
  ]
}

/** A link that leads nowhere here is a text, so its end is the end of one. */
function closeUnlinked({ children }: MarkdownToken): void {
  let tag = 'a'
  for (const child of children ?? []) {
    if (child.type === 'link_open') tag = child.tag
    if (child.type === 'link_close') child.tag = tag
  }
}

/** @returns makes the anchor of the next heading of one page; a text that was there before gets a number */
export function slugs(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const slug = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}

/** On the site the tutorial stands in the place of the README of the project. */
const INSTEAD: Record<string, string> = { 'README.md': 'docs/tutorial.md' }

interface Places {
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

/** Colours of code, as classes: a style in the HTML would be refused by the policy of the server. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  highlight(text: string, options: { language: string }): { value: string }
}

// Not imported: its types would make everything of a browser known everywhere.
const load = createRequire(import.meta.url)
const highlighter: Highlighter = load('highlight.js/lib/core')
const LANGUAGES = ['bash', 'ini', 'json', 'nginx', 'typescript', 'yaml']
for (const name of LANGUAGES) highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`))

/** Names in our pages that are no names there. */
const ALSO: Record<string, string> = { sh: 'bash', js: 'typescript', ts: 'typescript' }

/** @param word the language, as a page names it @returns HTML */
function highlighted(text: string, word: string): string {
  const language = ALSO[word] ?? word
  return LANGUAGES.includes(language) ? highlighter.highlight(text, { language }).value : escapedText(text)
}
