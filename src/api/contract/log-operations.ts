/** Logs and events. Source: http-api "Logs", api-semantics 3.8, 12. */
import { array, flag, integer, type Schema, text } from '../../schema/schema.ts'
import { VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, operation, ranged } from './operation.ts'
import { JournalEvent, LogChunk, LogFinds, MergedLog } from './run-shapes.ts'

const part = {
  tail: ranged('Number of lines from the end. Takes precedence over the others; below 1 counts as absent.', 1, 10_000),
  head: ranged('Number of lines from the start. Takes precedence over `offset`.', 1, 10_000),
  offset: ranged('First line, from 1 on.', 1),
  limit: ranged(
    'Maximum number of lines: default 1000, also for less than 1; more than 10000 counts as 10000.',
    1,
    10_000
  )
} as const
const stream = { type: 'string', enum: ['stdout', 'stderr'], default: 'stdout' } as const
const stepPart = {
  stream,
  ...part,
  since: described(
    integer,
    'Seconds since 1970-01-01 UTC: leaves out what is known to be older. `tail`, `head` and `offset` take precedence.'
  ),
  attempt: ranged('An attempt of the run, from 1 on. Default: the latest that has run the step.', 1),
  execution: ranged(
    'Only lines that this execution of the step has written, from 1 on: a retry is the next one, and so is a pass. They are counted from 1, except by `firstLine`. Not with `since`.',
    1
  )
} as const
const chunk = ok('Lines of the log.', LogChunk)
const file = {
  200: {
    description: 'All of the log, byte for byte. Empty: nothing was written yet.',
    schema: text,
    type: 'text/plain'
  }
} as const
/** Lines have no breaks; a longer text is no search. */
const search = {
  text: {
    type: 'string',
    description: 'What lines are to have, as they are seen: without escape sequences. Case does not matter.',
    pattern: '^[^\\r\\n]{1,1000}$',
    'x-required': true
  },
  regex: described(
    flag,
    'Whether `text` is a regular expression (RE2, at most 256 characters), which is tried on the first 4000 characters of each line. Default: false.'
  ),
  offset: described(part.offset, 'First line to search, from 1 on.'),
  limit: described(part.limit, 'Maximum number of lines found: default 1000, at most 10000.')
} as const
const finds = ok('Lines that have the text.', LogFinds)
const run = '/dag-runs/{name}/{dagRunId}'
const merged = {
  query: {
    step: described(array(text), 'A step or handler. Several: each of them. None: all.'),
    stream: described({ type: 'string', enum: ['stdout', 'stderr'] }, 'Only this stream. Default: both.'),
    since: described(integer, 'Seconds since 1970-01-01 UTC: leaves out what is known to be older.'),
    limit: part.limit,
    cursor: {
      type: 'string',
      description: 'the cursor of the answer before',
      pattern: '^\\d{1,9}(?:[.-][0-9a-z]{0,11})*$'
    }
  },
  answers: ok('Lines of several logs, by time.', MergedLog)
} as const

/** An event id of this API, or the word `now`. */
const EventPlace = {
  type: 'string',
  description: 'an id that this API gave out, or now',
  pattern: '^(?:\\d{1,15}|now)$'
} as const satisfies Schema

const events = {
  query: { after: EventPlace, follow: described(flag, 'Whether to wait for more. Default: true.') },
  headers: { 'Last-Event-ID': EventPlace },
  answers: {
    200: {
      description:
        'Server-sent events: what is stored first, then what comes. `data` is a JournalEvent; `event: gap` says how many were missed.',
      schema: text,
      type: 'text/event-stream',
      part: JournalEvent
    }
  },
  errors: ['service_unavailable']
} as const

export const logOperations = {
  getRunLog: operation('GET', `${run}/log`, VIEW, 'Logs', 'Log of a run', {
    query: part,
    answers: chunk
  }),
  getStepLog: operation('GET', `${run}/steps/{stepName}/log`, VIEW, 'Logs', 'Log of a step', {
    query: stepPart,
    answers: chunk
  }),
  getRunLogFile: operation('GET', `${run}/log/file`, VIEW, 'Logs', 'The whole log of a run, as a file', {
    answers: file
  }),
  getStepLogFile: operation(
    'GET',
    `${run}/steps/{stepName}/log/file`,
    VIEW,
    'Logs',
    'The whole log of a step, as a file',
    {
      query: { stream },
      answers: file
    }
  ),
  searchRunLog: operation('GET', `${run}/log/search`, VIEW, 'Logs', 'Lines of the log of a run with a text', {
    query: search,
    answers: finds
  }),
  searchStepLog: operation(
    'GET',
    `${run}/steps/{stepName}/log/search`,
    VIEW,
    'Logs',
    'Lines of the log of a step with a text',
    {
      query: { stream, ...search },
      answers: finds
    }
  ),
  getMergedLog: operation('GET', `${run}/log/merged`, VIEW, 'Logs', 'Output of several steps of a run, by time', {
    ...merged,
    query: {
      ...merged.query,
      attempt: ranged(
        'An earlier attempt of a run that was retried: what its own steps have written then. Default: the latest, also for less than 1.',
        1
      )
    }
  }),
  getSubRunMergedLog: operation(
    'GET',
    `${run}/sub-dag-runs/{subDAGRunId}/log/merged`,
    VIEW,
    'Logs',
    'Output of several steps of a sub DAG run, by time',
    {
      ...merged
    }
  ),
  getSubRunLog: operation('GET', `${run}/sub-dag-runs/{subDAGRunId}/log`, VIEW, 'Logs', 'Log of a sub DAG run', {
    query: part,
    answers: chunk,
    also: [{ method: 'GET', path: `${run}/children/{subDAGRunId}/log` }]
  }),
  getSubRunStepLog: operation(
    'GET',
    `${run}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/log`,
    VIEW,
    'Logs',
    'Log of a step of a sub DAG run',
    {
      query: stepPart,
      answers: chunk,
      also: [{ method: 'GET', path: `${run}/children/{subDAGRunId}/steps/{stepName}/log` }]
    }
  ),
  streamEvents: operation('GET', '/events', VIEW_PART, 'Events', 'Transitions of all runs', {
    ...events
  }),
  streamRunEvents: operation('GET', `${run}/events`, VIEW, 'Events', 'Transitions of one run', {
    ...events
  })
} as const satisfies Record<string, Operation>
