/** The order of the pages, read from `docs/README.md`: a page that the map names is in the navigation. */
import { posix } from 'node:path'
import type { Page } from './page.ts'

/** A place in the navigation. */
export interface Entry {
  title: string
  page: Page
  /** With `#`; empty: the page as a whole. */
  anchor: string
}
/** Entries below a title of their own; empty: directly in the section. */
export interface Group {
  title: string
  entries: Entry[]
}
export interface Section {
  title: string
  groups: Group[]
}

interface Mention {
  section: string
  group: string
  /** The text of the link. */
  text: string
  /** The rest of its line. */
  task: string
  target: string
  anchor: string
}

const LINK = /\[([^\]]+)\]\((?!\w+:)([^)#\s]+)(#[^)\s]+)?\)/g
/** Sections that a page stands in, if several name it: the last of them here. */
const RANKS = ['How to', 'Explanation', 'Reference', 'Tutorial']
/** The group of pages that are made of the contract of the API. */
export const API = 'HTTP API by subject'
/** Groups that go on with pages which the map has no line for. */
const FOLDERS: Record<string, string> = { 'docs/decisions/': 'docs/decisions/README.md' }

// D1531: the navigation is read from the map of the documentation
/** @param pages all of them @returns sections in the order of the map, each page in one */
export function navigation(map: string, pages: readonly Page[]): Section[] {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const mentions = mentionsIn(map)
  const homeOf = new Map<string, Mention>()
  for (const mention of mentions) {
    const known = homeOf.get(mention.target)
    if (mention.anchor === '' && (!known || rank(mention) > rank(known))) homeOf.set(mention.target, mention)
  }
  const sections: Section[] = []
  for (const mention of mentions) {
    const page = bySource.get(mention.target)
    // A task is done with a page; what one looks up may be a part of it.
    if (!page || (mention.anchor === '' ? homeOf.get(mention.target) !== mention : mention.section === 'How to'))
      continue
    const title = mention.anchor === '' ? page.title : mention.text
    groupOf(sections, mention).entries.push({ title, page, anchor: mention.anchor })
  }
  for (const [folder, index] of Object.entries(FOLDERS)) {
    const home = homeOf.get(index)
    const rest = pages.filter(({ source }) => source.startsWith(folder) && source !== index)
    if (home && rest.length > 0)
      groupOf(sections, { section: home.section, group: bySource.get(index)?.title ?? '' }).entries.push(
        ...rest.map((page) => ({ title: page.title, page, anchor: '' }))
      )
  }
  return sections
}

const rank = ({ section }: Mention) => RANKS.indexOf(section)

function groupOf(sections: Section[], { section, group }: Pick<Mention, 'section' | 'group'>): Group {
  const { groups } = foundOrAdded(sections, section, { title: section, groups: [] })
  return foundOrAdded(groups, group, { title: group, entries: [] })
}

function foundOrAdded<T extends { title: string }>(all: T[], title: string, added: T): T {
  const found = all.find((one) => one.title === title)
  if (!found) all.push(added)
  return found ?? added
}

/** What a reader does with a page or a part of it, in the words of the map: its lines without their links, by path and anchor. */
export function tasksIn(map: string, pages: readonly Page[]): Map<string, string> {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const tasks = new Map<string, string>()
  for (const { target, anchor, task } of mentionsIn(map)) {
    const place = `${bySource.get(target)?.path}${anchor}`
    tasks.set(place, `${tasks.get(place) ?? ''} ${task}`.trim())
  }
  return tasks
}

/** Links to pages, with the headings above them. In a list, a word before the first link is a heading, too. */
function mentionsIn(map: string): Mention[] {
  let [section, group, item] = ['', '', '']
  return map.split('\n').flatMap((line) => {
    const [, level = '', heading = ''] = /^(##|###) (.*)$/.exec(line) ?? []
    if (level === '##') [section, group, item] = [heading, '', '']
    if (level === '###') [group, item] = [heading, '']
    if (line.startsWith('- ')) item = /^- ([^[\]:]+): \[/.exec(line)?.[1] ?? ''
    if (section === '' || level !== '') return []
    const task = line.replaceAll(LINK, '').replace(/\W+/g, ' ').trim()
    return [...line.matchAll(LINK)].map(([, text = '', link = '', anchor = '']) => ({
      section,
      group: item || group,
      text: text.replaceAll('`', ''),
      task,
      target: posix.join('docs', link),
      anchor
    }))
  })
}
