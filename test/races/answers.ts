/** What may be asked in a race, and every answer that is documented for it: anything else is a violation. Source: http-api "Endpoints", api-semantics 1.4. */

export const ANSWERS = {
  create: ['POST', '201', '409 already_exists'],
  replace: ['PUT', '200', '404 not_found'],
  remove: ['DELETE', '204', '404 not_found'],
  rename: ['POST', '200', '400 bad_request', '404 not_found', '409 already_exists'],
  suspend: ['POST', '200', '404 not_found'],
  start: ['POST', '200', '404 not_found', '409 already_exists', '409 already_running', '409 max_run_reached'],
  enqueue: ['POST', '200', '404 not_found', '409 already_exists', '409 max_run_reached'],
  stopAll: ['POST', '200', '404 not_found'],
  stop: ['POST', '200', '400 not_running', '404 not_found'],
  retry: ['POST', '200', '400 already_running', '404 not_found', '409 already_exists'],
  reschedule: ['POST', '200', '404 not_found', '409 already_exists', '409 max_run_reached'],
  dequeue: ['POST', '200', '404 not_found'],
  patch: ['PATCH', '200', '400 bad_request', '404 not_found'],
  read: ['GET', '200', '404 not_found']
} as const satisfies Record<string, readonly [method: string, ...answers: string[]]>

export type Action = keyof typeof ANSWERS

/** One answer. */
export interface Reply {
  /** Such as `200` or `409 already_exists`. */
  answer: string
  isDone: boolean
  // biome-ignore lint/suspicious/noExplicitAny: answers of all shapes are looked into
  json: any
  text: string
  /** Of a retry. */
  runId: string
}
