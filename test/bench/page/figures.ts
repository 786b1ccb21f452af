const WIDTH = 66

/** Prints what was found beside what it may be at most. @param most undefined: it is told only to explain the others */
export function note(figure: string, value: number, unit: string, most?: number): void {
  const limit = most === undefined ? '' : `at most ${most}${value > most ? ': MISSED' : ''}`
  const rounded = `${Math.round(value * 10) / 10} ${unit}`
  console.log(`${figure.padEnd(WIDTH)}${rounded.padEnd(12)}${limit}`.trimEnd())
}
