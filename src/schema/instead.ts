/**
 * Words of other engines, and of this field, that Troupe does not have under this name, with what to use. Requests, options of hosts,
 * flags and definitions refuse them by name: ignored, they would promise what does not happen.
 */

const NOT_BUILT = 'Troupe does not have it'
const LATER = 'use `at` of a start, such as "+10m", or `delaySec` of a definition'
const ONCE = 'use `idempotencyKey`'
const PARAMS = 'use `params`'
const LABELS = 'use `tags` of the definition, or `params`, by which runs are found, too'
const LIMITS = `${NOT_BUILT}: use \`maxActiveRuns\`, or a queue with \`maxConcurrency\``
const TIME = 'use `timeoutSec` of the definition or of a step'
const LATE = `${NOT_BUILT}: use \`troupe explain\`, or \`notify\` and a monitor of your own`
const RETRIES = 'use `retryPolicy` of a step'
const ASKED = `${NOT_BUILT}: have the other system start the run (POST /dags/{fileName}/start)`
const TOLERANCE = `${NOT_BUILT}: use \`continueOn: {failure: true}\``
const MISSED = 'use `catchup`, which makes up for missed starts'

// D1790: words of the field are refused by name
/** In any spelling: `idempotency_key` is `idempotencyKey`. A word that some requests take is here for the others, and for definitions. */
const ROWS: readonly (readonly [words: string, instead: string])[] = [
  ['delay delayUntil startDelay startAt startTime runAt runAfter scheduleDate scheduledFor scheduledTime', LATER],
  ['prio priorityWeight lifo', 'use `priority`: higher goes first'],
  ['at', 'use `at` of a start, or `schedule` of a definition'],
  ['idempotencyKey', 'use `idempotencyKey` of a start'],
  ['priority', 'use `priority` of a start or of a definition: higher goes first'],
  ['idempotency idempotencyKeyTTL dedupe deduplication deduplicationId requestKey', ONCE],
  ['debounce throttle rateLimit batchEvents', LIMITS],
  ['concurrency concurrencyKey concurrencyLimit concurrencyPolicy maxConcurrency parallelism', LIMITS],
  ['pool pools poolSlots mutex semaphore lock', LIMITS],
  ['jobId runId workflowId executionId workflowIdReusePolicy workflowIdConflictPolicy', 'use `dagRunId`'],
  ['conf inputs parameters arguments payload data input body memo', PARAMS],
  ['labels annotations metadata searchAttributes', LABELS],
  ['dagRunTimeout runTimeout executionTimeout workflowRunTimeout workflowExecutionTimeout maxDuration timeout', TIME],
  ['ttl expiresAt expires sla deadline deadlines', LATE],
  ['attempts maxAttempts maxRetries retries retry retryPolicy backoff', RETRIES],
  [
    'includeDownstream downstream includeUpstream includeFuture includePast onlyFailed taskIds',
    'use `stepName`, and `includeDownstream`, of a retry'
  ],
  ['output outputs', 'use `output` of a step, and of a status that is set by hand'],
  ['logicalDate executionDate dataIntervalStart dataIntervalEnd backfill', `${MISSED}, or a param with the date`],
  ['catchupWindow overlapPolicy', MISSED],
  ['jitterSec jitter', `${NOT_BUILT}: use other minutes in \`schedule\``],
  ['cronSchedule cron repeat', 'use `schedule` of a definition'],
  ['webhook webhooks after triggers files', ASKED],
  ['wait waitForCompletion', 'ask for the run (GET /dag-runs/{name}/{dagRunId}), or follow its events'],
  ['undo compensate compensation rollback', `${NOT_BUILT}: use a handler (\`handlerOn\`)`],
  ['toleratedFailureCount toleratedFailurePercentage maxFailures failFast', TOLERANCE],
  ['cancelOn', 'use `POST /dag-runs/{name}/{dagRunId}/stop`'],
  ['triggerRule', 'use `continueOn` of the steps before it'],
  ['matrix strategy', 'use `parallel`, whose items may be maps'],
  ['cache memoize', `${NOT_BUILT}: use \`preconditions\` of a step`],
  ['paused pause', 'use `suspend` of a definition: POST /dags/{fileName}/suspend']
]

const plain = (word: string): string => word.replace(/[_-]/g, '').toLowerCase()

const byWord: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(([words, instead]) => words.split(' ').map((word) => [plain(word), instead] as const))
)

/** All words, as they are written elsewhere. */
export const FOREIGN_WORDS: readonly string[] = ROWS.flatMap(([words]) => words.split(' '))

/** What to use in place of a word that is not known here; undefined: nothing is known of it. */
export const insteadOf = (word: string): string | undefined => byWord.get(plain(word))
