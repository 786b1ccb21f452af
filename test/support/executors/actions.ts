/** Repositories of actions for tests, on this machine, and a runner with node in it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../homes.ts'

export interface ActionRepositories {
  /** For `config.githubInstance`. */
  instance: string
  /** Commits files to `<owner>/<repo>`, made when it is new. @returns the commit's id */
  commit(repository: string, files: Record<string, string>, tag?: string): string
}

export function actionRepositories(): ActionRepositories {
  const root = temporaryFolder()
  const made = new Set<string>()
  return {
    instance: pathToFileURL(root).href,
    commit(repository, files, tag) {
      const folder = join(root, repository)
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
          encoding: 'utf8'
        }).trim()
      writeFiles(folder, files)
      if (!made.has(repository)) git('init', '--quiet', '--initial-branch=main')
      made.add(repository)
      git('add', '--all')
      git('commit', '--quiet', '--message', 'change')
      if (tag) git('tag', '--force', tag)
      return git('rev-parse', 'HEAD')
    }
  }
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Options that put this machine's node into a container which has none. */
export function withNode(): string {
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? [])
  return [`${process.execPath}:/bin/node`, ...libraries.map((path) => `${path}:${path}`)]
    .map((bind) => `--volume ${bind}:ro`)
    .join(' ')
}
