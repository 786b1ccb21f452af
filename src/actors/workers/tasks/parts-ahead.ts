// D1025: bytes of logs travel beside the answer, two parts at a time
/** Parts of a log in their order: further ones are on their way while one is written, so no side waits. Source: distribution 3, D10. */
import { PART_BYTES } from '../../../bus/tasks.ts'
import type { Task } from './asked-task.ts'

type Part = Awaited<ReturnType<Task['read']>>

export interface PartsAhead {
  /** The part that begins at `at`; further ones up to `end` are asked for. @throws as `read`: then it is asked for anew */
  next(at: number, end: number): Promise<Part>
}

/** @param most number of questions at a time, at this moment */
export function partsAhead(read: (at: number) => Promise<Part>, most: () => number): PartsAhead {
  let asked: { at: number; part: Promise<Part> }[] = []
  function ask(from: number, end: number): void {
    for (let at = from; asked.length < most() && at < end; at += PART_BYTES) {
      const part = read(at)
      part.catch(() => {}) // seen when it is its turn
      asked.push({ at, part })
    }
  }
  return {
    async next(at, end) {
      if (asked[0]?.at !== at) asked = [] // one before it was shorter, or failed
      if (asked.length === 0) ask(at, end)
      const part = await (asked.shift()?.part ?? read(at))
      const last = asked.at(-1)?.at ?? at
      if (part.data.length === PART_BYTES) ask(last + PART_BYTES, end)
      return part
    }
  }
}
