/** An entry of an archive that is being read, whatever its format. */
export interface Entry {
  /** As written in the archive. */
  path: string
  /** `special`: a device, a pipe, or what else is no file. */
  kind: 'file' | 'directory' | 'symlink' | 'link' | 'special'
  /** As written; -1: not known before it is read. */
  size: number
  /** Permission bits. */
  mode: number
  modifiedAt: Date
  /** Of links. */
  target: string
  /** Read at most once. What is read is checked where the format can: the CRC of a zip. */
  content(): AsyncIterable<Uint8Array>
}

/** The next entry comes when the promise resolves. */
export type Visit = (entry: Entry) => Promise<void>
