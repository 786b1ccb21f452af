/** An entry of an archive that is being read, whatever its format. */
export interface Entry {
  /** As written in the archive. */
  path: string
  /** `special`: a device, a pipe or the like. */
  kind: 'file' | 'directory' | 'symlink' | 'link' | 'special'
  /** Size as written in the archive; -1: unknown until it is read. */
  size: number
  /** Permission bits. */
  mode: number
  modifiedAt: Date
  /** Target of a link. */
  target: string
  /** May be read once. The content is verified where the format allows it (CRC of a zip). */
  content(): AsyncIterable<Uint8Array>
}

/** The next entry follows when the promise resolves. */
export type Visit = (entry: Entry) => Promise<void>
