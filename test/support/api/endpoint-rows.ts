/**
 * Every row of the endpoint tables, and what stands beside them: method, path, words, and the statuses and codes that the row
 * names. Source: http-api "Endpoints"; api-semantics 3.1, 8 (R11), 9.4, 12, A1.
 */

export interface EndpointRow {
  method: string
  /** Below the base path, with `{name}` for each parameter. */
  path: string
  words: string
}

const rowsOf = (table: string): EndpointRow[] =>
  [...table.matchAll(/^(\w+) +(\S+) +(.+)$/gm)].map(([, method = '', path = '', words = '']) => ({
    method,
    path,
    words
  }))

export const DOCUMENTED = rowsOf(`
GET    /health                                       200 {status: healthy, version, uptime: integer seconds, timestamp}
GET    /metrics                                      200 text/plain, names exact
GET    /services/resources/history                   duration, default last hour: CPU, memory, disk, load average
GET    /dags                                         {dags: [{fileName, dag, latestDAGRun, suspended, errors}], errors, pagination}
POST   /dags                                         201 {name}; 400 bad_request (bad name, invalid spec with details); 409 already_exists
GET    /dags/{fileName}                              {dag: DAG details, localDags, latestDAGRun, suspended, errors}
DELETE /dags/{fileName}                              204 no body; 404 not_found; 403 forbidden
GET    /dags/{fileName}/spec                         {dag, spec: YAML, errors}
PUT    /dags/{fileName}/spec                         200 {errors}, problems too; 403 forbidden
POST   /dags/validate                                always 200 {valid, errors, dag: optional partial DAG details}
POST   /dags/{fileName}/rename                       200 empty; 400 bad_request; 409 already_exists
POST   /dags/{fileName}/suspend                      200 empty; 404 not_found
GET    /dags/search                                  q required: {results: [{name, dag, matches}], errors}
GET    /dags/tags                                    {tags: unique, errors: unreadable definition files}
POST   /dags/{fileName}/start                        {params, dagRunId, dagName, singleton} all optional: {dagRunId}; 409 already_running
POST   /dags/{fileName}/enqueue                      {params, dagRunId, dagName, queue} all optional: {dagRunId}
POST   /dags/{fileName}/stop-all                     200 {errors}; 404 not_found
GET    /dags/{fileName}/dag-runs                     {dagRuns, gridData: [{name, history: one node status per run}]}
GET    /dags/{fileName}/dag-runs/{dagRunId}          {dagRun: details}
GET    /dag-runs                                     name, status, fromDate, toDate, dagRunId: {dagRuns}, all matches
GET    /dag-runs/{name}                              status, fromDate, toDate, dagRunId: {dagRuns}
POST   /dag-runs                                     {spec, name, params, dagRunId, singleton}: {dagRunId}; 400 missing or invalid spec; 409 max_run_reached
POST   /dag-runs/enqueue                             {spec, name, params, dagRunId, queue}: {dagRunId}; 409 max_run_reached
GET    /dag-runs/{name}/{dagRunId}                   dagRun and dagRunDetails; latest for the most recent run
POST   /dag-runs/{name}/{dagRunId}/stop              200; 404 not_found; 400 not_running
POST   /dag-runs/{name}/{dagRunId}/retry             {dagRunId}: 200; 404 not_found; 400 already_running
POST   /dag-runs/{name}/{dagRunId}/reschedule        {dagRunId, dagName}: {dagRunId, queued}; 409 max_run_reached; 404 not_found
GET    /dag-runs/{name}/{dagRunId}/dequeue           200; 404 not_found
GET    /dag-runs/{name}/{dagRunId}/log               tail, head, offset, limit: Log chunk
GET    /dag-runs/{name}/{dagRunId}/steps/{stepName}/log                                stream stdout or stderr: Log chunk
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log                      same as run log
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/log     same as step log
PATCH  /dag-runs/{name}/{dagRunId}/steps/{stepName}/status                             {status: integer 0-5}: 200 empty; 404 not_found; 400 invalid value
PATCH  /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status  {status: integer}: 200; 404 not_found
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs      {subRuns: [Sub run timing entry]}; 404 not_found
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}                          {dagRunDetails: handlers and preconditions too}
GET    /queues                                       {queues: [Queue]}; 500 internal_error
GET    /workers                                      {workers: [Worker]}; 503 service_unavailable without a coordinator`)

/** Ours, and those of other releases that clients use. */
export const BESIDE = rowsOf(`
GET    /health/live                                  200 {status: live}; 503 {status: dead, error}: docs/operating/watching.md
GET    /health/ready                                 200 {status: ready}; 503 {status: unready, reason, error}: docs/operating/watching.md
GET    /services/scheduler                           3.1
GET    /services/coordinator                         3.1
POST   /workers/{workerId}/drain                     {drain, timeoutSec}: Worker; 404 not_found; 409 already_leaving: docs/workers.md
GET    /deliveries                                   targets of notify, events that wait and dead letters: docs/http-api.md
POST   /deliveries/{targetName}/retry                dead letters of a target are delivered again; 400, 404: docs/http-api.md
DELETE /deliveries/{targetName}                      dead letters of a target are removed; 404: docs/http-api.md
POST   /workers/{workerId}/enroll                    a key for a worker; 409 already_exists: docs/http-api.md
POST   /workers/{workerId}/revoke                    400 not_running; 404: docs/http-api.md
POST   /services/backup                              {logs}: a tar archive: docs/http-api.md
GET    /services/settings                            as troupe config --json: docs/http-api.md
GET    /services/doctor                              as troupe doctor --json: docs/http-api.md
GET    /waiting                                      {waiting, nextCursor}: docs/http-api.md
POST   /dag-runs/{name}/{dagRunId}/steps/{stepName}/signal                             {payload, id}: 200; 404; 409: docs/http-api.md
POST   /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/signal  the same
POST   /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/signal      A1
GET    /remote-nodes                                 R11
POST   /dag-runs/{name}/{dagRunId}/dequeue           12
DELETE /dag-runs/{name}/{dagRunId}/dequeue           12
GET    /dag-runs/{name}/{dagRunId}/spec              12
GET    /dag-runs/{name}/{dagRunId}/outputs           12
GET    /dag-runs/{name}/{dagRunId}/events            12
GET    /dag-runs/{name}/{dagRunId}/log/file          the whole log: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/log/search        lines with a text: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/steps/{stepName}/log/search                         the same of a step
GET    /dag-runs/{name}/{dagRunId}/log/merged        several steps, by time: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log/merged                  the same of a sub DAG run
GET    /dag-runs/{name}/{dagRunId}/steps/{stepName}/log/file                           the whole log: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/steps/{stepName}/values                             what it had: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/diff              two runs compared: docs/http-api.md
GET    /dags/{fileName}/statistics                   durations of steps: docs/http-api.md
GET    /dags/{fileName}/params                       params and schema for a form: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/params            the same of a run: docs/http-api.md
GET    /dags/{fileName}/outline                      what a run would do: docs/http-api.md
GET    /dag-runs/{name}/{dagRunId}/outline           what a run does: docs/http-api.md
GET    /dags/{fileName}/next-runs                    next starts by schedule: docs/http-api.md
GET    /dags/{fileName}/versions                     earlier texts: docs/http-api.md
GET    /dags/{fileName}/versions/{revision}          one of them: docs/http-api.md
GET    /calendar                                     runs by days: docs/http-api.md
GET    /calendar/period                              runs and starts of a period: docs/http-api.md
GET    /access/keys                                  API keys: docs/http-api.md
POST   /access/keys                                  makes one
DELETE /access/keys/{keyName}                        revokes it
GET    /access/sessions                              who is signed in: docs/http-api.md
POST   /access/sessions/end                          ends some
GET    /audit                                        the audit log: docs/http-api.md
GET    /audit/export                                 the same as lines
GET    /events                                       12
GET    /dag-runs/{name}/{dagRunId}/statechart        12
GET    /openapi.json                                 the API's description of itself: docs/http-api.md
GET    /docs                                         for people
GET    /docs.css                                     its style
GET    /machines                                     facts of the engine: docs/inspect.md
GET    /machines/{machineId}                         facts
GET    /dags/{fileName}/explain                      facts
GET    /dags/{fileName}/decisions                    facts
GET    /services/scheduler/decisions                 facts
GET    /dag-runs/{name}/{dagRunId}/actors            facts
GET    /dag-runs/{name}/{dagRunId}/journal           facts
GET    /dag-runs/{name}/{dagRunId}/explain           facts
GET    /dag-runs/{name}/{dagRunId}/preview           facts
GET    /dag-runs/{name}/{dagRunId}/sequence          facts
GET    /dag-runs/{name}/{dagRunId}/children                                            A1
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}                              A1
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/log                          A1
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/log         A1
PATCH  /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/status      A1`)

/** Below `/api/v1`. */
export const VERSION_1 = rowsOf(`
GET    /health         as v2
GET    /dags           list
POST   /dags           {action: new, value: name} -> {DagID}
GET    /dags/{fileName} one big view
POST   /dags/{fileName} {action, value, requestId, step, params}
DELETE /dags/{fileName} 204
GET    /search         as v2
GET    /tags           as v2`)
