/** A page of the site as HTML: header with search, navigation, content, list of sections, neighbours. No script stands in it. */
import { escapedText, type Heading } from './html.ts'
import type { Entry, Group, Section } from './map.ts'
import { type Page, relativePath } from './page.ts'

export interface LaidOut {
  page: Page
  content: string
  headings: readonly Heading[]
  sections: readonly Section[]
  version: string
}

/** Groups of many pages: open only where one of them is read. */
const FOLDED = 8

export function layout({ page, content, headings, sections, version }: LaidOut): string {
  const to = (path: string) => escapedText(relativePath(page.path, path))
  const place = placeOf(sections, page)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedText(page.title)} · Troupe</title>
<link rel="icon" type="image/svg+xml" href="${to('icon.svg')}">
<script src="${to('theme.js')}"></script>
<link rel="stylesheet" href="${to('site.css')}">
<script defer src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="home" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="26" height="26"><span>Troupe <small>${escapedText(version)}</small></span></a>
<form class="search" role="search" data-root="${to('')}" hidden>
<input type="text" role="combobox" aria-label="Search the documentation" placeholder="Search  ( / )" autocomplete="off" spellcheck="false" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<div id="found" class="found" role="listbox" aria-label="Sections" hidden></div>
<p class="state" role="status"></p>
</form>
<button type="button" class="theme" hidden></button>
<a class="menu" href="#contents">Menu</a>
</header>
<div class="frame">
<nav id="contents" class="contents" aria-label="Pages">
<a class="menu" href="#content">Close</a>
${sections.map((section) => sectionText(section, page, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${place ? `<p class="place">${escapedText(place)}</p>` : ''}
<article>
${content}
</article>
${besideText(sections, page, to)}
</main>
${onPageText(headings)}
</div>
</body>
</html>
`
}

type To = (path: string) => string

const sectionText = ({ title, groups }: Section, page: Page, to: To) =>
  `<section>\n<h2>${escapedText(title)}</h2>\n${groups.map((group) => groupText(group, page, to)).join('\n')}\n</section>`

function groupText({ title, entries }: Group, page: Page, to: To): string {
  const [first] = entries
  const isHere = entries.some((entry) => entry.page === page)
  const shown = title !== '' && entries.length > FOLDED && !isHere ? [] : entries
  const heading =
    title === ''
      ? ''
      : shown.length > 0 || !first
        ? `<h3>${escapedText(title)}</h3>\n`
        : `<h3><a href="${to(first.page.path)}">${escapedText(title)} …</a></h3>\n`
  return `${heading}${shown.length > 0 ? `<ul>\n${shown.map((entry) => entryText(entry, page, to)).join('\n')}\n</ul>` : ''}`
}

const entryText = ({ title, page: target, anchor }: Entry, page: Page, to: To) =>
  `<li><a href="${to(target.path)}${escapedText(anchor)}"${target === page && anchor === '' ? ' aria-current="page"' : ''}>${escapedText(title)}</a></li>`

const entriesOf = (sections: readonly Section[]) =>
  sections.flatMap(({ title, groups }) =>
    groups.flatMap((group) => group.entries.map((entry) => ({ ...entry, section: title, group: group.title })))
  )

/** Where a page stands. */
function placeOf(sections: readonly Section[], page: Page): string | undefined {
  const found = entriesOf(sections).find((entry) => entry.page === page && entry.anchor === '')
  return found && [found.section, found.group].filter((part) => part !== '').join(' › ')
}

function besideText(sections: readonly Section[], page: Page, to: To): string {
  const all = entriesOf(sections).filter(({ anchor }) => anchor === '')
  const at = all.findIndex((entry) => entry.page === page)
  if (at < 0) return ''
  const link = (entry: Entry | undefined, word: string) =>
    entry
      ? `<a class="${word.toLowerCase()}" href="${to(entry.page.path)}"><small>${word}</small> ${escapedText(entry.title)}</a>`
      : ''
  return `<nav class="beside" aria-label="Pages beside this one">${link(all[at - 1], 'Previous')}${link(all[at + 1], 'Next')}</nav>`
}

function onPageText(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const deepest = shown.length > 40 ? 2 : 3
  const items = shown
    .filter(({ level }) => level <= deepest)
    .map(({ level, id, title }) => `<li class="l${level}"><a href="#${escapedText(id)}">${escapedText(title)}</a></li>`)
  return `<nav class="on-page" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`
}
