/** Homes that an engine has used, and what the program says of them to the user who runs it. */
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../homes.ts'
import { PROGRAM } from './program.ts'

/** Exit code, and what was written, by a user. */
export function outcomeOf(
  folder: string,
  uid: number | undefined,
  ...argv: string[]
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh' }
    const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd: folder, env, ...(uid ? { uid, gid: uid } : {}) })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
    child.on('close', (code) => resolve({ code: code ?? -1, text }))
  })
}

/** A folder that everybody may enter, with a home in which an engine has been, and a definition beside it. */
export async function homeIn(): Promise<{ folder: string; home: string }> {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  await createEngine({ home }).then((engine) => engine.close())
  writeFileSync(join(folder, 'a.yaml'), 'steps: [{command: echo hi}]\n')
  chmodSync(folder, 0o755)
  return { folder, home }
}
