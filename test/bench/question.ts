/** What a question of the benchmark is: the definitions it needs, what it asks of a fresh server, the figures it gets. */
import type { Server } from './server.ts'

/** One measured figure. */
export interface Answer {
  figure: string
  unit: string
  better: 'more' | 'less'
  value: number
}

export interface Question {
  /** The word for `--only`. */
  name: string
  /** Definitions that the server finds when it starts: text by file name without extension. */
  definitions(scale: number): Record<string, string>
  /** Asks a server that has just become healthy and has nothing else to do. @throws Error when there is no fair figure */
  ask(server: Server, scale: number): Promise<Answer[]>
  /** Fills the home before the server is started. Absent: it is empty but for the definitions. */
  prepare?(place: { home: string; dags: string }, scale: number): Promise<void>
  /** How many steps the asking executes: then what each of them costs is a figure, too. */
  steps?(scale: number): number
  /** Asks Dagu for so much of what Troupe is asked for (1: as much): rates are compared, and its processor time is counted up. */
  peerShare?: number
  /** Only for Troupe: `prepare` writes into its store. */
  ownOnly?: true
  /** Whose processor time is the question's: that of the asking (default), or all since the server was spawned. */
  cpuSince?: 'asking' | 'spawn'
}

/** `count` things at scale 1, at least one. */
export const scaled = (count: number, scale: number): number => Math.max(1, Math.round(count * scale))
