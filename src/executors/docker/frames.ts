/** The multiplexed streams of a container: frames with a header of 8 bytes. Source: execution-semantics 10.2.13. */
export type StreamName = 'stdout' | 'stderr'

export interface Piece {
  from: StreamName
  bytes: Buffer
}

const HEAD = 8
const STDERR = 2

/**
 * The chunks of a stream, adjacent ones of one kind merged. The next one is read when the last one has been handled.
 * @param tty the stream has no frames: a terminal has one stream
 */
export async function* pieces(stream: AsyncIterable<Buffer>, tty: boolean): AsyncGenerator<Piece> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    if (tty) {
      yield { from: 'stdout', bytes: chunk }
      continue
    }
    held.push(chunk)
    size += chunk.length
    const first = held[0]
    if (first && first.length >= HEAD && size < HEAD + first.readUInt32BE(4)) continue // a large frame is concatenated once
    const bytes = Buffer.concat(held, size)
    const { found, rest } = split(bytes)
    yield* found
    held = rest.length > 0 ? [rest] : []
    size = rest.length
  }
}

function split(bytes: Buffer): { found: Piece[]; rest: Buffer } {
  const found: { from: StreamName; parts: Buffer[] }[] = []
  let at = 0
  while (at + HEAD <= bytes.length) {
    const end = at + HEAD + bytes.readUInt32BE(at + 4)
    if (end > bytes.length) break
    const from = bytes[at] === STDERR ? 'stderr' : 'stdout'
    const part = bytes.subarray(at + HEAD, end)
    const last = found.at(-1)
    if (last?.from === from) last.parts.push(part)
    else found.push({ from, parts: [part] })
    at = end
  }
  return {
    found: found.map(({ from, parts }) => ({ from, bytes: Buffer.concat(parts) })),
    rest: bytes.subarray(at)
  }
}
