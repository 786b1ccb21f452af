/** A small file that is written whole, one write at a time: it is the old one or the new one, never a part. */
import { open, rename } from 'node:fs/promises'

export interface WrittenFile {
  /** Calls during a write share the next one. Resolves when it is on disk, or its failure reported. @param text asked at the write */
  write(text: () => string): Promise<void>
}

/** A file that only its owner can read. @param failed told of each failure */
export function writtenFile(path: string, failed: (cause: unknown) => void): WrittenFile {
  let saving: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return {
    write(text) {
      next ??= saving.then(async () => {
        next = undefined
        try {
          await writeWhole(path, text())
        } catch (cause) {
          failed(cause)
        }
      })
      saving = next
      return next
    }
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const next = `${path}.next`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
}
