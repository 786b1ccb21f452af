/** A page of the site before it is made. */
export interface Page {
  /** Path of the text from the project's folder. Of a generated page it is made up, and only for links. */
  source: string
  /** Path of the page's file from the folder of the site. */
  path: string
  /** Without marks, such as `docker`. */
  title: string
  /** Markdown. */
  text: string
}

/** The short form of a heading, for lists: what stands before a colon, without marks. */
export const shortTitle = (heading: string): string => (heading.split(': ', 1)[0] ?? '').replaceAll('`', '')

/** Makes a page of a text, whose first heading is its title. */
export function pageOf(source: string, path: string, text: string): Page {
  const [, heading = source] = /^# (.*)$/m.exec(text) ?? []
  return { source, path, title: shortTitle(heading), text }
}

/** The way from the file of a page to another file of the site. @param to empty: the folder of the site */
export function relativePath(from: string, to: string): string {
  const up = from.split('/').slice(0, -1)
  const down = to.split('/')
  while (up.length > 0 && down.length > 1 && up[0] === down[0]) {
    up.shift()
    down.shift()
  }
  return `${up.length === 0 ? './' : '../'.repeat(up.length)}${down.join('/')}`
}
