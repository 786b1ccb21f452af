/** Request and response of one exchange over HTTP. */

export interface Request {
  /** Upper case. */
  method: string
  url: URL
  /** The URL for messages. Default: from `url`. */
  shown?: string
  /** By canonical name. */
  headers: Map<string, string>
  body?: string
  skipTlsVerify: boolean
  /** Whether a text holds a secret of the run. */
  isSecret(text: string): boolean
}

export interface Answer {
  status: number
  /** As sent by the server. */
  reason: string
  /** By lower-case name. */
  headers: Record<string, string | string[] | undefined>
  body: AsyncIterable<Uint8Array>
}

/** `content-type` as `Content-Type`. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase())
