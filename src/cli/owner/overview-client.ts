/** Definitions, runs and their differences, asked over the owner's socket. */
import type { OverviewClient, OverviewQuestion } from '../../api/owner/overview-client.ts'

/** @param ask gets the answer of `answerOverview` to a question */
export const overviewClient = (ask: <T>(question: OverviewQuestion) => Promise<T>): OverviewClient => ({
  definitions: () => ask({ ask: 'definitions' }),
  runs: (filter, limit) => ask({ ask: 'runs', filter, limit }),
  diff: (before, after) => ask({ ask: 'diff', before, after }),
  versions: (fileName) => ask({ ask: 'versions', fileName }),
  text: (fileName, revision) => ask({ ask: 'text', fileName, revision })
})
