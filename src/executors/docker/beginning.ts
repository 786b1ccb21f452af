/** The beginning of the output of a command in a container: the line of its shell. */
import type { Readable } from 'node:stream'
import { type Piece, pieces } from './frames.ts'

export interface Beginning {
  pid?: number
  /** Text so far, without a process id. */
  said: string
  held: Piece[]
  rest: AsyncGenerator<Piece>
}

/** Reads up to the line with the process id, and removes it. */
export async function beginning(stream: Readable): Promise<Beginning> {
  const rest = pieces(stream, false)
  const held: Piece[] = []
  let line = Buffer.alloc(0)
  while (true) {
    const { value: piece, done } = await rest.next()
    if (done) break
    if (piece.from === 'stdout') {
      held.push(piece)
      continue
    }
    line = Buffer.concat([line, piece.bytes])
    const end = line.indexOf('\n')
    if (end < 0) continue
    const pid = Number(line.subarray(0, end).toString())
    if (!Number.isInteger(pid)) break
    const more = line.subarray(end + 1)
    if (more.length > 0) held.push({ from: 'stderr', bytes: more })
    return { pid, said: '', held, rest }
  }
  if (line.length > 0) held.push({ from: 'stderr', bytes: line })
  return { said: Buffer.concat(held.map(({ bytes }) => bytes)).toString(), held, rest }
}
