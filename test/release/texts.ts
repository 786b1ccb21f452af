/** What the checkout has for its readers. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Text } from './release.ts'

/** Tests name what must be refused, and of the fixtures only these are shown to readers. */
const HIDDEN = /^(?:test|fixtures(?!\/(?:README\.md|examples\/|hosts\/)))\//
const PICTURE = /\.(?:png|ico|woff2?|gz|wasm)$/

export async function textsOf(project: string): Promise<Text[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: project })
  return stdout
    .split('\0')
    .filter((path) => path !== '' && !HIDDEN.test(path) && !PICTURE.test(path))
    .map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') }))
}
