/** Errors of a request, besides those that `fetch` throws when there is no response. Source: http-api "Errors". */
import type { ErrorCode } from '../errors.ts'

/** The server has refused with an Error object. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, code: ErrorCode, message: string, details: Readonly<Record<string, unknown>>) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** The response is not from the API: a proxy, or another server. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** The error of a response with status 400 or above. */
export async function errorOf(response: Pick<Response, 'status' | 'text'>): Promise<ApiError | UnexpectedAnswer> {
  const { status } = response
  const text = await response.text()
  const object = objectIn(text)
  if (typeof object?.code !== 'string' || typeof object.message !== 'string')
    return new UnexpectedAnswer(status, `wanted an Error object, found ${JSON.stringify(text.slice(0, 200))}`)
  const details = isObject(object.details) ? object.details : {}
  // A later release may have more codes; a comparison with a known one is then false.
  return new ApiError(status, object.code as ErrorCode, object.message, details)
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
