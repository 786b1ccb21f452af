/** The page, which is built by itself, has names of its own for what the API answers: whatever fits the contract fits them. */
import { expect } from 'chai'
import { NODE_STATUSES, RUN_STATUSES, type UNKNOWN_STATUS } from '../../../src/api/contract/statuses.ts'
import type * as api from '../../../src/client/shapes.ts'
import type * as charts from '../../../src/page/answers/charts.ts'
import type * as definitions from '../../../src/page/answers/definitions.ts'
import type * as journal from '../../../src/page/answers/journal.ts'
import type * as runs from '../../../src/page/answers/runs.ts'
import { HANDLER_NAMES, RUN_LABELS, SETTABLE } from '../../../src/page/answers/runs.ts'
import type * as services from '../../../src/page/answers/services.ts'
import type * as statistics from '../../../src/page/answers/statistics.ts'
import type { Preview } from '../../../src/page/run/actor/preview.ts'

/** The label of a status that nobody knows has no place in the page, which shows what it does not know without a colour. */
type Known<T> = T extends typeof UNKNOWN_STATUS ? never : T extends object ? { [K in keyof T]: Known<T[K]> } : T
/** The compiler refuses a pair whose first does not fit the second. */
type Fits<Answer extends Wanted, Wanted> = [Answer, Wanted]

type Checked = [
  Fits<Known<api.RunSummary>, runs.RunSummary>,
  Fits<Known<api.RunDetails>, runs.RunDetails>,
  Fits<Known<api.JournalEvent>, journal.JournalEvent>,
  Fits<Known<api.RunFacts>, journal.RunInstant>,
  Fits<Known<api.Preview>, Preview>,
  Fits<Known<api.Statistics>, statistics.Statistics>,
  Fits<Known<api.Reason>, journal.Reason>,
  Fits<Known<api.Sequence['messages'][number]>, journal.Message>,
  Fits<Omit<api.Chart, 'states'>, Omit<charts.Chart, 'states'>>,
  Fits<api.LogChunk, runs.LogChunk>,
  Fits<api.DagDetails, definitions.DagDetails>,
  Fits<Known<api.DagListItem>, definitions.ListedDefinition>,
  Fits<api.Pagination, definitions.Pagination>,
  Fits<Known<api.Queue>, services.Queue>
]

describe('page › what the API answers', () => {
  it('is read as the contract says: objects, labels and their places', () => {
    const pairs: Checked | [] = []
    expect(pairs, 'checked by the compiler').to.deep.equal([])
    expect(RUN_LABELS).to.deep.equal(RUN_STATUSES)
    expect(SETTABLE).to.deep.equal(NODE_STATUSES.slice(0, -1))
    const handlers: readonly (keyof api.RunDetails)[] = HANDLER_NAMES
    expect(handlers).to.have.length(4)
  })
})
