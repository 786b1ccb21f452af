/** What carries a request of the API: `fetch`, a socket, or functions of the same process. */

/** What is asked of `fetch`. */
export type Transport = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal }
) => Promise<Answer>

/** What is read of a response. */
export type Answer = Pick<Response, 'status' | 'text' | 'body'> & { headers: Pick<Headers, 'get'> }
