/** An entry of an archive that is about to be written. */
/** One entry of an archive to be. */
export interface Planned {
  /** In the archive. */
  path: string
  absolute: string
  kind: 'file' | 'directory' | 'symlink'
  size: number
  /** Permission bits. */
  mode: number
  modifiedAt: Date
  /** Of a symbolic link. */
  target: string
}
