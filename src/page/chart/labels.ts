/** Words beside the lines of a chart, and what they must not cover. */
import { type ElkBox, type ElkLine, isStart } from './chart-shape.ts'

export interface Label {
  id: string
  /** Path of the state that the transition leaves. */
  from: string
  words: string[]
  x: number
  /** Middle of the first line of words. */
  y: number
  /** The label covers no other label, no line and no state: it may always be shown. */
  hasRoom: boolean
}

export interface Area {
  left: number
  right: number
  top: number
  bottom: number
}

export const LINE_PX = 14
/** The head of a state with others inside, where its name is. */
const HEAD_PX = 30
/** Half the width of such a name. */
const NAME_PX = 40

export const linesOf = (box: ElkBox): ElkLine[] => [...(box.edges ?? []), ...(box.children ?? []).flatMap(linesOf)]

export function areasOf({ id, x = 0, y = 0, width = 0, height = 0, children = [], title }: ElkBox): Area[] {
  if (isStart(id)) return []
  const bottom = children.length > 0 ? y + HEAD_PX : y + height
  const head = title
    ? { left: title.x - NAME_PX, right: title.x + NAME_PX, top: title.y - 10, bottom: title.y + 10 }
    : { left: x, right: x + width, top: y, bottom }
  return [head, ...children.flatMap(areasOf)]
}

export const isOver = (one: Area, other: Area): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
