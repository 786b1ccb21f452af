/** A text of any length: more than a few lines scroll in their own box, so that what follows stays reachable. */

const MOST_SIGNS = 400
const MOST_LINES = 8

/** @param label what it is, for screen readers */
export function LongText({ text, label, isCode = false }: { text: string; label: string; isCode?: boolean }) {
  const isLong = text.length > MOST_SIGNS || text.split('\n', MOST_LINES + 1).length > MOST_LINES
  const shown = isCode ? <code>{text}</code> : text
  if (!isLong) return <>{shown}</>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      {/* biome-ignore lint/a11y/useSemanticElements: it is inline, where no fieldset may be */}
      <span class="long" role="group" aria-label={label} tabIndex={0}>
        {shown}
      </span>
      <span class="soft size">{sizeText(text)}; scroll to read all of it</span>
    </>
  )
}

const COUNT = new Intl.NumberFormat('en')
const sizeText = (text: string): string => {
  const lines = text.split('\n').length
  return `${COUNT.format(text.length)} characters${lines > 1 ? ` in ${COUNT.format(lines)} lines` : ''}`
}
