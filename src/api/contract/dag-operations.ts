/** Definitions. Source: http-api "Definitions", api-semantics 3.2, 3.3. */
import { array, flag, object, optional, text } from '../../schema/schema.ts'
import { FallbackName, Spec } from './body-fields.ts'
import { DagAnswer, DagDetails, DagListItem, MOST_LATEST_RUNS, Pagination, SearchResult } from './dag-shapes.ts'
import { NewFileName } from './names.ts'
import { CREATE, EDIT, NOTHING, RUN, VIEW, VIEW_PART } from './needs.ts'
import { described, done, type Operation, ok, oneOf, operation, ranged, texts } from './operation.ts'

export const dagOperations = {
  listDags: operation('GET', '/dags', VIEW_PART, 'Definitions', 'Definitions, page by page', {
    query: {
      page: ranged('From 1 on, which is the default; less counts as 1.', 1),
      perPage: ranged('Default 50; less than 1 counts as 50, more than 1000 as 1000.', 1, 1_000),
      name: described(text, 'Part of the file name, case-insensitive.'),
      tag: described(array(text), 'A tag, case-insensitive. Several: all must match.'),
      sort: oneOf(
        described(
          text,
          '`name` (default); `nextRun`: earlier first, those without a schedule last; `latestRun`: its start, earlier first, or `status`, what failed first: those that never ran last; `trend`: how much longer runs take than last week, in proportion, those that cannot be compared last, and less than a second is no difference.'
        ),
        'name',
        'nextRun',
        'latestRun',
        'status',
        'trend'
      ),
      order: oneOf(described(text, '`asc` (default) or `desc`.'), 'asc', 'desc'),
      trend: described(flag, 'Whether to include `trend`.'),
      latestRuns: ranged(
        `How many of the latest runs of each to include; default none, more than ${MOST_LATEST_RUNS} counts as ${MOST_LATEST_RUNS}.`,
        0,
        MOST_LATEST_RUNS
      )
    },
    answers: ok(
      'The page. `errors` has what is wrong with files that could not be read at all.',
      object({ dags: array(DagListItem), errors: texts, pagination: Pagination })
    )
  }),
  createDag: operation('POST', '/dags', CREATE, 'Definitions', 'Create a definition', {
    body: object({
      name: NewFileName,
      spec: optional({
        ...Spec,
        description: `${Spec.description} Absent: one step that echoes.`,
        'x-absent-when': 'blank'
      })
    }),
    answers: {
      201: {
        description: 'It was created.',
        schema: object({ name: text }),
        headers: { Location: 'Path of it; none when a remote node has it.' }
      }
    },
    errors: ['already_exists']
  }),
  validateDag: operation('POST', '/dags/validate', NOTHING, 'Definitions', 'Check a definition without storing it', {
    description:
      'A text with problems is answered with 200 as well. Files that it names are looked at for a caller with the permission `write`; for others it is a problem that they were not.',
    body: object({ spec: optional(Spec), name: optional(FallbackName) }),
    answers: ok(
      'What was found. `dag` is missing when nothing could be understood, `warnings` when there are none.',
      object({ valid: flag, errors: texts, warnings: optional(texts), dag: optional(DagDetails) })
    )
  }),
  searchDags: operation('GET', '/dags/search', VIEW_PART, 'Definitions', 'Search the texts of all definitions', {
    query: {
      q: {
        ...text,
        description: 'A regular expression of at most 256 characters, matched line by line, case-insensitive.',
        'x-required': true
      }
    },
    answers: ok(
      'Hits with two lines around them, by file name.',
      object({ results: array(SearchResult), errors: texts })
    )
  }),
  listTags: operation('GET', '/dags/tags', VIEW_PART, 'Definitions', 'Tags of all definitions', {
    answers: ok('Each tag once, sorted.', object({ tags: texts, errors: texts }))
  }),
  getDag: operation('GET', '/dags/{fileName}', VIEW, 'Definitions', 'A definition with its latest run', {
    answers: ok('The definition, as far as it could be understood.', DagAnswer)
  }),
  deleteDag: operation('DELETE', '/dags/{fileName}', EDIT, 'Definitions', 'Delete a definition', {
    description: 'Its history and its runs stay.',
    answers: { 204: { description: 'The definition was deleted.' } }
  }),
  getDagSpec: operation('GET', '/dags/{fileName}/spec', VIEW, 'Definitions', 'Text of a definition', {
    answers: ok(
      'The exact text. `errors` has warnings too. `revision` is that of the text; missing for a definition in code, which cannot be replaced.',
      object({ dag: DagDetails, spec: text, errors: texts, revision: optional(text) })
    )
  }),
  replaceDagSpec: operation('PUT', '/dags/{fileName}/spec', EDIT, 'Definitions', 'Replace the text of a definition', {
    body: object({
      spec: Spec,
      revision: optional(
        described(text, '`revision` of the text that is replaced. Absent: whatever is there is replaced.')
      )
    }),
    answers: ok(
      'Problems of the text; none: it was replaced, else nothing has changed. A request with a `revision` is answered with that of the new text.',
      object({ errors: texts, revision: optional(text) })
    ),
    errors: ['changed_meanwhile']
  }),
  renameDag: operation('POST', '/dags/{fileName}/rename', EDIT, 'Definitions', 'Rename a definition', {
    description: 'Its history goes along when its name came from the file name.',
    body: object({ newFileName: NewFileName }),
    answers: done('It was renamed.'),
    errors: ['already_exists']
  }),
  suspendDag: operation(
    'POST',
    '/dags/{fileName}/suspend',
    RUN,
    'Definitions',
    'Suspend or resume the schedule of a definition',
    {
      body: object({ suspend: flag }),
      answers: done('It is as asked.')
    }
  )
} as const satisfies Record<string, Operation>
