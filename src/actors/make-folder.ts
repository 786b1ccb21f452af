/** Makes a folder that a definition names. Node's own recursive `mkdir` never returns below `/proc`. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the folder and those above it, mode 0755; one that is there is left as it is. @throws Error */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path) throw error
    await makeFolder(above)
    await mkdir(path, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // made by somebody else meanwhile
    })
  }
}
