/** HTML and text, one made of the other. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Safe inside an element and inside a quoted attribute. */
export const escapedText = (text: string): string => text.replace(/[&<>"]/g, (found) => ENTITIES[found] ?? '')

const CHARACTERS = new Map([
  ...Object.entries(ENTITIES).map(([character, entity]) => [entity, character] as const),
  ['&#39;', "'"],
  ['&#x27;', "'"]
])

/** What a reader sees of HTML that the site has made itself. */
const textOf = (html: string): string =>
  html
    .replace(/<!--.*?-->/gs, '')
    .replace(/<\/(?:p|li|td|th|tr|pre|h\d|div|dt|dd)>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:\w+|#x?[\da-f]+);/g, (entity) => CHARACTERS.get(entity) ?? entity)
    .replace(/\s+/g, ' ')
    .trim()

export interface Heading {
  level: number
  id: string
  title: string
}

const HEADING = /<h([1-4]) id="([^"]*)">(.*?)<\/h\1>/gs

/** The headings of a page. */
export const headingsOf = (html: string): Heading[] =>
  Array.from(html.matchAll(HEADING), ([, level = '', id = '', title = '']) => ({
    level: Number(level),
    id,
    title: textOf(title)
  }))

interface Part extends Heading {
  text: string
  /** Lines of its tables that begin with a name, such as a field or a setting. */
  names: { name: string; text: string }[]
}

const NAMED_ROW = /<tr>\s*<td><code>([^<]+)<\/code>.*?<\/td>(.*?)<\/tr>/gs

/** The headings of a page with what stands below each, up to the next. */
export function partsOf(html: string): Part[] {
  const found = [...html.matchAll(HEADING)]
  return found.map((match, index) => {
    const [whole, level = '', id = '', title = ''] = match
    const end = found[index + 1]?.index ?? html.length
    const below = html.slice(match.index + whole.length, end)
    const names = Array.from(below.matchAll(NAMED_ROW), ([, name = '', rest = '']) => ({
      name: textOf(name),
      text: textOf(rest)
    }))
    return { level: Number(level), id, title: textOf(title), text: textOf(below), names }
  })
}
