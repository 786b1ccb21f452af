/** Anchors of headings, as GitHub makes them, so that a link works there and on the site. */

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
