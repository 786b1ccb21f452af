/** An entry of an archive that is about to be written. */
export interface Planned {
  /** Path in the archive. */
  path: string
  absolute: string
  kind: 'file' | 'directory' | 'symlink'
  size: number
  /** Permission bits. */
  mode: number
  modifiedAt: Date
  /** Target of a symbolic link. */
  target: string
}
