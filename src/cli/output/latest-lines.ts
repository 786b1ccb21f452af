/** The last lines of each step of a run; lines of a sub DAG run count for the step that calls it. */
import { oneLine } from '../view/text.ts'
import type { Listener, OutputStep } from './listener.ts'

/** Per step, as many as are quoted when it fails. */
const KEPT = 5

export interface LatestLines extends Listener {
  /** Oldest first. @param name of a step of the root run, on one line */
  of(name: string): string[]
}

export function latestLines(): LatestLines {
  const kept = new Map<string, string[]>()
  const open = new Map<string, Map<string, string>>()
  const nameOf = ({ top }: OutputStep) => oneLine(top)
  const shown = (of: OutputStep, line: string) => {
    const below = of.label.slice(nameOf(of).length).replace(/^\//, '')
    return below === '' ? line : `${below} | ${line}`
  }
  return {
    async lines(of, _stream, lines) {
      const before = kept.get(nameOf(of)) ?? []
      const said = lines.filter((line) => line.trim() !== '').slice(-KEPT)
      kept.set(nameOf(of), [...before, ...said.map((line) => shown(of, line))].slice(-KEPT))
    },
    open(of, stream, line) {
      const lines = open.get(nameOf(of)) ?? new Map<string, string>()
      open.set(nameOf(of), lines)
      if (line.trim() === '') lines.delete(`${of.label} ${stream}`)
      else lines.set(`${of.label} ${stream}`, shown(of, line))
    },
    of: (name) => [...(kept.get(name) ?? []), ...(open.get(name)?.values() ?? [])].slice(-KEPT)
  }
}
