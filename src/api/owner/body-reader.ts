/** The body of an answer, for who reads it as that of `fetch`: the streams of the web take longer to load than most answers take. */
import type { Readable } from 'node:stream'

/** @param failed makes the error of that of the stream */
export function bodyOf(stream: Readable, failed: (cause: unknown) => unknown = (cause) => cause) {
  const pieces: AsyncIterator<Uint8Array, undefined> = stream[Symbol.asyncIterator]()
  const cancel = async () => void stream.destroy()
  const read = () =>
    pieces.next().catch((cause) => {
      throw failed(cause)
    })
  const body: unknown = { getReader: () => ({ read, cancel }), cancel }
  return body as ReadableStream<Uint8Array> // its reader is all that the client asks for
}
