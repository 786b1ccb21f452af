/** One line of a log as it is drawn: in the colors of its program, marked where a text is found. */
import { withFinds } from './log-lines.ts'
import type { Painted } from './painted.ts'

/** Longer lines are cut here; the file has all of them. */
const MOST_SIGNS = 20_000

/** @param text what is looked for, in lower case; empty: nothing */
export const drawnLine = (parts: readonly Painted[], text: string) => withFinds(cut(parts), text).map(drawn)

type Drawn = ReturnType<typeof withFinds>[number]

function drawn({ text, look, ink, ground, isFound }: Drawn, at: number) {
  const content = isFound ? <mark key={at}>{text}</mark> : text
  if (look === '' && ink === undefined && ground === undefined) return content
  const isPair = ground !== undefined
  return (
    <span
      // Parts have no other name.
      key={at}
      class={isPair ? `${look} grounded` : look}
      style={{ ...(ink && { '--other': ink }), ...(ground && { '--other-ground': ground }) }}
    >
      {content}
    </span>
  )
}

function cut(parts: readonly Painted[]): readonly Painted[] {
  let left = MOST_SIGNS
  const all = parts.reduce((sum, { text }) => sum + text.length, 0)
  if (all <= MOST_SIGNS) return parts
  const kept = parts.flatMap((part) => {
    const text = part.text.slice(0, Math.max(0, left))
    left -= part.text.length
    return text === '' ? [] : [{ ...part, text }]
  })
  return [...kept, { text: ` … ${all - MOST_SIGNS} more characters are in the file`, look: 'dim' }]
}
