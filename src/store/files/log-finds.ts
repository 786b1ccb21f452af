/** The lines of a log that have a text, or a match of an expression, as they come in pieces. */

/** @see ../../definition/text/line-expression.ts */
export interface LineExpression {
  /** False: none of the lines has a match. */
  mayMatch(lines: string): boolean
  matches(line: string): boolean
}

/** What is searched for in one answer. */
export interface Finds {
  /** 1-based numbers of those that were found. */
  readonly lines: number[]
  /** Number of the line that comes next, or that goes on. */
  number(): number
  /** More is left than what comes after the pieces so far. */
  isStopped(): boolean
  /** @param piece ends with a line, or is a part of a longer one @returns whether more is wanted */
  take(piece: string): boolean | Promise<boolean>
}

/** Which lines count. */
export interface Wanted {
  /** Number of the first line that comes. */
  number: number
  /** None before counts. */
  first: number
  /** Maximum of finds. */
  most: number
}

/** Gives way to others. */
export interface Pace {
  /** To be awaited between two lines. */
  turn(): Promise<void> | undefined
  /** The answer has taken long enough. */
  isOver(): boolean
}

/** @param text in lower case */
export function textFinds(text: string, { number, first, most }: Wanted): Finds {
  const lines: number[] = []
  let isFull = false
  return {
    lines,
    number: () => number,
    isStopped: () => isFull,
    take(written) {
      const piece = written.toLowerCase()
      let from = 0
      /** Goes on to the line after the break, if there is one before `until`. */
      const next = (until: number): boolean => {
        const found = piece.indexOf('\n', from)
        if (found < 0 || found >= until) return false
        from = found + 1
        number++
        return true
      }
      for (let at = piece.indexOf(text); at >= 0; at = piece.indexOf(text, from)) {
        while (next(at));
        if (number >= first && lines.at(-1) !== number) {
          isFull = lines.length === most
          if (isFull) return false
          lines.push(number)
        }
        if (!next(piece.length)) return true
      }
      while (next(piece.length));
      return true
    }
  }
}

/** The first find counts in a line that comes in several pieces. */
export function expressionFinds(expression: LineExpression, { number, first, most }: Wanted, pace: Pace): Finds {
  const lines: number[] = []
  let isStopped = false
  /** The piece goes on with a line that was begun before. */
  let isBegun = false
  const stop = () => {
    isStopped = true
    return false
  }
  return {
    lines,
    number: () => number,
    isStopped: () => isStopped,
    async take(piece) {
      const isPossible = expression.mayMatch(piece)
      for (let from = 0; from < piece.length; ) {
        const end = piece.indexOf('\n', from)
        const line = piece.slice(from, end < 0 ? piece.length : end)
        const isTried = isPossible && !isBegun && number >= first
        if (isTried && expression.mayMatch(line) && expression.matches(line)) {
          if (lines.length === most) return stop()
          lines.push(number)
        }
        isBegun = end < 0
        if (isBegun) break
        number++
        from = end + 1
        if (!isTried) continue
        const turn = pace.turn()
        if (turn) await turn
        if (pace.isOver()) return stop()
      }
      return true
    }
  }
}
