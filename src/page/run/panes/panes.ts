/** Which logs are beside each other: in the address, one member `pane` for each, such as `err:load`. */
import type { NodeMoment } from '../moment.ts'

export const MOST_PANES = 4

export interface Pane {
  step: string
  stream: 'stdout' | 'stderr'
}

const SHORT = { stdout: 'out', stderr: 'err' } as const

export const paneText = ({ step, stream }: Pane): string => `${SHORT[stream]}:${step}`

/** Panes of an address: each once, no more than there is room for; what is none is left out. */
export function panesOf(texts: readonly string[]): Pane[] {
  const panes = [...new Set(texts)].flatMap((text): Pane[] => {
    const [, kind, step] = /^(out|err):(.+)$/s.exec(text) ?? []
    return step === undefined ? [] : [{ step, stream: kind === 'err' ? 'stderr' : 'stdout' }]
  })
  return panes.slice(0, MOST_PANES)
}

/** Whether a step may have written something. */
const isBegun = ({ label }: NodeMoment): boolean => label !== 'not_started' && label !== 'skipped'

/** Panes that are shown at first: the chosen steps, or those that are running, or those that came last. */
export function firstPanes(nodes: readonly NodeMoment[], chosen: readonly string[]): Pane[] {
  const begun = nodes.filter(isBegun)
  const running = begun.filter(({ label }) => label === 'running')
  const latest = [...begun].sort((one, other) => (one.startedAt ?? 0) - (other.startedAt ?? 0)).slice(-2)
  const names = chosen.length > 0 ? chosen : (running.length > 0 ? running : latest).map(({ name }) => name)
  const steps = names.length > 0 ? names : nodes.slice(0, 1).map(({ name }) => name)
  return steps.slice(0, MOST_PANES).map((step) => ({ step, stream: 'stdout' }))
}

/** A pane that is not there yet: the output of another step, or the errors of one that is there. */
export function anotherPane(nodes: readonly NodeMoment[], panes: readonly Pane[]): Pane | undefined {
  const shown = new Set(panes.map(paneText))
  const steps = [...nodes.filter(isBegun), ...nodes.filter((node) => !isBegun(node))].map(({ name }) => name)
  const all = (['stdout', 'stderr'] as const).flatMap((stream) => steps.map((step): Pane => ({ step, stream })))
  return all.find((pane) => !shown.has(paneText(pane)))
}
