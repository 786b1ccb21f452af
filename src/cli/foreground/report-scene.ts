/** The interface of reports on a run in the foreground, and what they use. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import type { CliContext } from '../context.ts'
import type { OutputChoice } from '../output/choice.ts'
import type { OpenClient } from '../owner/opened.ts'
import type { Paint } from '../view/paint.ts'

export interface Report {
  begin(key: RunKey): void
  /** Every event of the run, in order. */
  event(event: JournalEvent): void
  /** Shows a notice at once. */
  notice(text: string): void
  /** The run has ended. Resolves when everything is written. */
  end(run: RunDetails): Promise<void>
  /** Stops before the end of the run. */
  leave(): void
}

/** What a report uses. */
export interface Scene {
  context: CliContext
  /** IANA zone of the times it prints. */
  tz: string
  /** For the stream that shows the transitions. */
  paint: Paint
  client: Pick<OpenClient, 'watchTree' | 'follow' | 'isElsewhere' | 'api'>
  /** Which steps' output it shows. */
  output: OutputChoice
  /** Encoding of the logs. */
  charset: string
}
