/**
 * What engine and workers talk over. A bus carries texts and keeps none: each may be lost, doubled, late or overtaken by another.
 * Source: distribution 0.1, 2.
 */

export type BusState = 'connected' | 'away'

export interface Heard {
  subject: string
  text: string
  /** Answers a question; of something that was only told, nothing happens. @param data for one who has asked for it */
  answer(text: string, data?: Buffer): void
}

export interface Bus {
  /** As far as this side knows. */
  readonly state: BusState
  /** Why the connection is away, for people; empty: it is not, or nothing is known. */
  readonly trouble: string
  /** Calls `listen` with each change. Returns a function that ends this. */
  onState(listen: (state: BusState) => void): () => void
  /** Asks all who hear a subject; the first answer counts. @throws Unanswered */
  ask(subject: string, text: string, withinMs: number): Promise<string>
  /** Asks, and takes bytes beside the text of the answer. @throws Unanswered */
  askForData(subject: string, text: string, withinMs: number): Promise<{ text: string; data?: Buffer }>
  tell(subject: string, text: string): void
  /** Hears a subject; `*` in it is any one word. Also after a loss of the connection. Returns a function that ends this. */
  hear(pattern: string, listen: (heard: Heard) => void): () => void
  close(): Promise<void>
}

/** Nobody answered in time, or nobody hears the subject. Whether the question arrived is not known. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}
