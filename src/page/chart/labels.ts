/** Where the words of each transition stand in the drawing of a chart, and which of them have room there. A pure computation. */
import type { ChartState } from '../answers.ts'
import { type ElkBox, type ElkLine, isStart, middlesOf, staysOf, wordsOf } from './chart-shape.ts'

export interface Label {
  id: string
  /** Path of the state that the transition leaves, or stays in. */
  from: string
  words: string[]
  x: number
  /** Middle of the first line of words. */
  y: number
  /** The label covers no other label and no state: it may always be shown. */
  hasRoom: boolean
}

export interface Area {
  left: number
  right: number
  top: number
  bottom: number
}

const SIGN_PX = 8
export const LINE_PX = 14
/** The head of a state with others inside, where its name is. */
const HEAD_PX = 30
/** Half the width of such a name. */
const NAME_PX = 40

export const linesOf = (box: ElkBox): ElkLine[] => [...(box.edges ?? []), ...(box.children ?? []).flatMap(linesOf)]

// D1291: words along a transition are shown where they cover nothing
/** One label for each line, and one for each state that takes events without being left. Few words are placed first. */
export function labelsOf(layout: ElkBox, states: ReadonlyMap<string, ChartState>): Label[] {
  const taken = (layout.children ?? []).flatMap(areasOf)
  const wanted = linesOf(layout).flatMap((line) => {
    const [from = ''] = line.sources
    const state = states.get(from)
    const words = state ? wordsOf(state, line.targets[0] ?? '') : []
    return words.length === 0 ? [] : [{ id: line.id, from, words, places: middlesOf(line) }]
  })
  wanted.sort((one, other) => signsIn(one.words) - signsIn(other.words))
  const labels = wanted.map(({ places, ...label }): Label => {
    const free = places.find((place) => !taken.some((area) => isOver(area, areaOf(label.words, place))))
    const { x, y } = free ?? places[0] ?? { x: 0, y: 0 }
    if (free) taken.push(areaOf(label.words, free))
    return { ...label, x, y: y - ((label.words.length - 1) * LINE_PX) / 2, hasRoom: free !== undefined }
  })
  return [...labels, ...boxesOf(layout).flatMap((box) => staying(box, states))]
}

/** Below its state, where there is room only while nothing else is shown. */
function staying(
  { id, x = 0, y = 0, width = 0, height = 0 }: ElkBox,
  states: ReadonlyMap<string, ChartState>
): Label[] {
  const state = states.get(id)
  const words = state ? staysOf(state.transitions) : []
  return words.length === 0
    ? []
    : [{ id: `${id} stays`, from: id, words, x: x + width / 2, y: y + height + LINE_PX, hasRoom: false }]
}

const boxesOf = (box: ElkBox): ElkBox[] => (box.children ?? []).flatMap((inner) => [inner, ...boxesOf(inner)])
const signsIn = (words: readonly string[]) => words.join('').length

export function areasOf({ id, x = 0, y = 0, width = 0, height = 0, children = [], title }: ElkBox): Area[] {
  if (isStart(id)) return []
  const bottom = children.length > 0 ? y + HEAD_PX : y + height
  const head = title
    ? { left: title.x - NAME_PX, right: title.x + NAME_PX, top: title.y - 10, bottom: title.y + 10 }
    : { left: x, right: x + width, top: y, bottom }
  return [head, ...children.flatMap(areasOf)]
}

function areaOf(words: readonly string[], { x, y }: { x: number; y: number }): Area {
  const half = (Math.max(...words.map(({ length }) => length)) * SIGN_PX) / 2
  const high = (words.length * LINE_PX) / 2
  return { left: x - half, right: x + half, top: y - high, bottom: y + high }
}

export const isOver = (one: Area, other: Area): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
