/** Archives that no honest program writes: made byte by byte, from headers that say what a test wants. */
import { crc32 } from 'node:zlib'
import { Header } from 'tar'

export interface EvilEntry {
  path: string
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO'
  linkpath?: string
  content?: string
  mode?: number
}

const BLOCK = 512

/** A tar of exactly these entries. */
export function tarOf(entries: EvilEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath, content = '', mode = 0o644 }) => {
    const bytes = Buffer.from(content)
    const header = new Header({
      path,
      type,
      mode,
      size: bytes.length,
      mtime: new Date(1e12),
      ...(linkpath ? { linkpath } : {})
    })
    header.encode()
    const padded = Buffer.alloc(Math.ceil(bytes.length / BLOCK) * BLOCK)
    bytes.copy(padded)
    return [header.block ?? Buffer.alloc(0), padded]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** A zip of stored entries. `crc` and `unixMode` are written as passed. */
export function zipOf(
  entries: { path: string; content?: string; crc?: number; unixMode?: number; flags?: number }[]
): Buffer {
  let offset = 0
  const locals: Buffer[] = []
  const central: Buffer[] = []
  for (const { path, content = '', crc, unixMode = 0o100644, flags = 0 } of entries) {
    const name = Buffer.from(path)
    const bytes = Buffer.from(content)
    const rest = Buffer.alloc(26)
    rest.writeUInt16LE(10, 0)
    rest.writeUInt16LE(flags, 2)
    rest.writeUInt16LE(0x21, 8) // 1 January 1980
    rest.writeUInt32LE(crc ?? crc32(bytes), 10)
    rest.writeUInt32LE(bytes.length + (flags & 1 ? 12 : 0), 14) // an encrypted entry begins with 12 bytes more
    rest.writeUInt32LE(bytes.length, 18)
    rest.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), rest, name, bytes])
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(unixMode * 65_536, 6)
    attributes.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([20, 3]) // version, Unix
    central.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), madeBy, rest, attributes, name]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}
