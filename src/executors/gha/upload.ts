/** Uploads files into a container of an action. Bind mounts would not do: the Docker engine may be on another machine. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { ACTION, COMMAND_FILES, COMMANDS, EVENT, HOME, TEMP } from './places.ts'

/** Any user of a container may write there. */
const [ANYBODY_FOLDER, ANYBODY_FILE] = [0o777, 0o666]

/** Path of the folder inside; ends in its own name. */
const ROOT = 'github'

// D630: gha: an action's files are copied into its containers
/** A folder as a tar archive, without `.git`. */
export async function packed(cwd: string, name = '.'): Promise<Readable> {
  const { create } = await import('tar')
  return Readable.from(create({ cwd, filter: (path) => !/(?:^|\/)\.git(?:\/|$)/.test(path) }, [name]))
}

/** Uploads `<from>/github` as `/github`. */
export async function upload(container: Docker.Container, from: string): Promise<void> {
  await container.putArchive(await packed(from, ROOT), { path: '/' })
}

/** Creates the layout of every container of an action below `<at>/github`; the fetched repository may exist already. */
export async function layOut(at: string, event: object): Promise<void> {
  for (const path of [HOME, TEMP, COMMANDS, dirname(EVENT), ACTION]) {
    await mkdir(join(at, path), { recursive: true })
    await chmod(join(at, path), ANYBODY_FOLDER)
  }
  await writeFile(join(at, EVENT), JSON.stringify(event))
  await layOutCommands(at)
}

/** Empty command files, and other files by their path inside. */
export async function layOutCommands(at: string, texts: ReadonlyMap<string, string> = new Map()): Promise<void> {
  const files = Object.keys(COMMAND_FILES).map((name): [string, string] => [`${COMMANDS}/${name}`, ''])
  for (const [path, text] of [...files, ...texts]) {
    const file = join(at, path)
    await mkdir(dirname(file), { recursive: true })
    await chmod(dirname(file), ANYBODY_FOLDER)
    await writeFile(file, text)
    await chmod(file, ANYBODY_FILE)
  }
}
