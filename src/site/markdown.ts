/** What the site adds to Markdown: anchors of headings, links to pages of the site, colours of code, tables that scroll. */
import { posix } from 'node:path'
import type { Markdown, MarkdownToken } from '@11ty/eleventy'
import { highlighted } from './highlight.ts'
import { linkOf, type Places } from './links.ts'
import type { Page } from './page.ts'
import { slugs } from './slugs.ts'

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
