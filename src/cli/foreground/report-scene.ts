/** What shows a run in the foreground is told, and what it looks at. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { EngineEvent, RunView } from '../../engine/engine.ts'
import type { OutputChoice } from '../output/choice.ts'
import type { OpenDoor } from '../owner/opened.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Paint } from '../view/paint.ts'

export interface Report {
  begin(key: RunKey): void
  /** Every event of the run, in order. */
  event(event: EngineEvent): void
  /** Something the user should know now. */
  notice(text: string): void
  /** The run has ended. Resolves when all is written. */
  end(view: RunView): Promise<void>
  /** The run is left alone before its end. */
  leave(): void
}

/** What a report looks at. */
export interface Scene {
  surroundings: Surroundings
  /** IANA zone of the times it prints. */
  tz: string
  /** For the stream that is told how the run goes. */
  paint: Paint
  door: Pick<OpenDoor, 'run' | 'watchTree'>
  /** Of which steps it shows what they print. */
  output: OutputChoice
  /** Of the logs. */
  charset: string
}
