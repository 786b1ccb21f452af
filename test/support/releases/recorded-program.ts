/** Programs of earlier releases, as they were published: an upgrade is tested with the real one. See fixtures/README.md. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { extract } from 'tar'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'

export const recordedProgram = (version: string): string =>
  join(PROJECT, 'fixtures', 'releases', version, 'program.tar.br')

/** Installs it in a folder of its own, with the packages of this checkout. @returns the path of its `troupe.js` */
export async function installedRelease(version: string): Promise<string> {
  const folder = join(temporaryFolder(), `troupe-${version}`)
  mkdirSync(folder)
  const unpacking = extract({ cwd: folder })
  const unpacked = new Promise((resolve, reject) => unpacking.on('close', resolve).on('error', reject))
  unpacking.end(brotliDecompressSync(readFileSync(recordedProgram(version))))
  await unpacked
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'dist', 'bin', 'troupe.js')
}
