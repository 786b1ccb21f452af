/** Commands of the program in this process, for tests of what they do and say. */
import { context } from '../../../src/cli/context.ts'
import { dispatch } from '../../../src/cli/dispatch.ts'

export interface Called {
  code: number
  out: string
  err: string
}

// D1780: starting Node is most of what a command takes
let before: Promise<unknown> = Promise.resolve()

/**
 * Runs a command to its end as `program` does: in a folder, with this environment and no other. One after another, since a process has
 * one of each; one that is to go on meanwhile is started with `program`.
 */
export function called(folder: string, environment: Record<string, string>, ...argv: string[]): Promise<Called> {
  const own = before.then(() => call(folder, environment, argv))
  before = own.catch(() => {})
  return own
}

async function call(folder: string, environment: Record<string, string>, argv: string[]): Promise<Called> {
  const written = { out: '', err: '' }
  const into = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    }
  })
  const [env, cwd] = [process.env, process.cwd()]
  process.env = { PATH: env.PATH, HOME: folder, SHELL: '/bin/sh', ...environment }
  process.chdir(folder)
  try {
    const code = await dispatch(argv, into('out'), into('err'), async () => context())
    return { code, ...written }
  } finally {
    process.chdir(cwd)
    process.env = env
  }
}
