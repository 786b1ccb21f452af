/**
 * Rewrites the head of a response for the client's strict parser. Only unambiguous forms whose reading RFC 9110 and 9112 define are
 * changed: interim responses are dropped; repeated equal lengths become one; lines that end in LF alone, folded lines and blanks
 * before the colon are normalized. Everything else, and every byte after the head, is unchanged, so the client still refuses the
 * rest. Source: execution-semantics 10.4.
 */

/** Greatest size of the heads of a response, interim ones included, bytes. */
export const MAX_HEAD_BYTES = 512 * 1_024

const LF = 0x0a
const CR = 0x0d
const NOTHING = Buffer.alloc(0)
const FIRST_ROOM = 4_096

// D652: http: undici is the client, behind a normalizing parser
/** Reads the single response of a connection. */
export function openAnswerHead(limit = MAX_HEAD_BYTES) {
  let room = Buffer.alloc(FIRST_ROOM)
  let size = 0
  /** Up to here there is no end of a head. */
  let searched = 0
  let read = 0
  let isThrough = false

  function keep(chunk: Buffer): void {
    if (size + chunk.length > room.length) {
      const larger = Buffer.alloc(2 * (size + chunk.length))
      room.copy(larger, 0, 0, size)
      room = larger
    }
    chunk.copy(room, size)
    size += chunk.length
  }
  function taken(end: number): Buffer {
    const bytes = Buffer.from(room.subarray(0, end))
    room.copyWithin(0, end, size)
    size -= end
    searched = 0
    return bytes
  }

  return {
    /** Returns the part of the response that can be parsed now. @throws Error for a head that is too large or ambiguous */
    next(chunk: Buffer): Buffer {
      if (isThrough) return chunk
      keep(chunk)
      for (;;) {
        const start = firstOf(room, size)
        if (start > 0) taken(start)
        if (!couldBeHttp(room.subarray(0, size))) {
          isThrough = true
          return taken(size)
        }
        const end = headEnd(room.subarray(0, size), searched)
        if (read + (end ?? size) > limit) throw tooLarge(limit)
        if (end === undefined) {
          searched = Math.max(0, size - 2)
          return NOTHING
        }
        read += end
        const head = taken(end).toString('latin1')
        const status = /^HTTP\/1\.[01] +(\d{3})(?!\d)/.exec(head)?.[1]
        if (status === '101')
          throw new Error('the server switches to another protocol (status 101), which was not asked for')
        if (status?.startsWith('1')) continue
        isThrough = true
        return Buffer.concat([Buffer.from(status ? rewritten(head, status) : head, 'latin1'), taken(size)])
      }
    },
    /** Returns the rest when the response has ended. */
    rest: (): Buffer => taken(size)
  }
}

const tooLarge = (limit: number) => new Error(`the headers of the answer are larger than the limit of ${limit} bytes`)

const HTTP = Buffer.from('HTTP/')
/** Whether this may be HTTP: a server of another protocol sends a greeting and then waits itself. */
const couldBeHttp = (bytes: Buffer): boolean => HTTP.subarray(0, bytes.length).equals(bytes.subarray(0, HTTP.length))

/** Blank lines before a response are ignored. */
function firstOf(bytes: Buffer, size: number): number {
  let at = 0
  while (at < size && (bytes[at] === CR || bytes[at] === LF)) at++
  return at
}

/** The position after the empty line. */
function headEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
  }
  return undefined
}

const NAME_AND_BLANKS = /^([\w!#$%&'*+.^`|~-]+)[ \t]+:/
const LENGTH = /^content-length:(.*)$/i
const WITHOUT_BODY = ['204', '304']

function rewritten(head: string, status: string): string {
  const [first = '', ...rest] = head.replace(/\r?\n\r?\n$/, '').split(/\r?\n/)
  const lines: string[] = []
  for (const line of rest) {
    if (/^[ \t]/.test(line) && lines.length > 0) lines.push(`${lines.pop()} ${line.trim()}`)
    else lines.push(line.replace(NAME_AND_BLANKS, '$1:'))
  }
  return `${[first, ...withOneLength(lines, status)].join('\r\n')}\r\n\r\n`
}

/** @throws Error for lengths that differ: the end of such a response is ambiguous */
function withOneLength(lines: string[], status: string): string[] {
  const written = lines.flatMap((line) => LENGTH.exec(line)?.[1]?.split(',') ?? []).map((text) => text.trim())
  if (written.length === 0 || !written.every((text) => /^\d+$/.test(text))) return lines
  const lengths = [...new Set(written.map((text) => text.replace(/^0+(?=\d)/, '')))]
  if (lengths.length > 1) throw new Error(`the answer has lengths that differ: Content-Length ${lengths.join(' and ')}`)
  const others = lines.filter((line) => !LENGTH.test(line))
  // In these responses it is the length of another response.
  return WITHOUT_BODY.includes(status) ? others : [...others, `Content-Length: ${lengths[0]}`]
}
