/** Another user of the machine, as whom commands of definitions run: who that is, and how a program becomes that user. */
import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Account {
  name: string
  uid: number
  gid: number
  /** Supplementary groups. */
  groups: readonly number[]
  home: string
  /** Path of `setpriv` (util-linux). */
  setpriv: string
}

/**
 * Looks for it in the system's database.
 * @param text `user` or `user:group`, each by name or number @param searched folders of programs, as in PATH
 * @returns undefined for root, which the engine is itself @throws Error, as a clause: no such user or group, or what is lacking here
 */
export function findAccount(text: string, searched: string): Account | undefined {
  const [user = '', group, ...rest] = text.split(':')
  if (user === '' || group === '' || rest.length > 0) throw new Error('wanted a user, or user:group')
  const [name, , uid, own, , home] = said('getent', ['passwd', user])?.split(':') ?? []
  if (name === undefined || uid === undefined || own === undefined) throw new Error(`there is no user ${user} here`)
  const gid = group === undefined ? own : said('getent', ['group', group])?.split(':')[2]
  if (gid === undefined) throw new Error(`there is no group ${group} here`)
  if (Number(uid) === 0) return undefined
  const member = (said('id', ['-G', name]) ?? '').split(' ').map(Number)
  const groups = group === undefined ? member : [Number(gid), ...member.filter((one) => one !== Number(own))]
  return {
    name,
    uid: Number(uid),
    gid: Number(gid),
    groups: [...new Set(groups)],
    home: home || '/',
    setpriv: setprivIn(searched)
  }
}

/** The first line that a program prints; undefined: it fails. */
function said(program: string, args: string[]): string | undefined {
  try {
    const printed = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return printed.split('\n', 1)[0]
  } catch {
    return undefined
  }
}

/** A `setpriv` of busybox cannot change the user. */
function setprivIn(searched: string): string {
  for (const folder of searched.split(delimiter)) {
    const path = join(folder || '.', 'setpriv')
    try {
      accessSync(path, constants.X_OK)
    } catch {
      continue
    }
    if (said(path, ['--version'])?.includes('util-linux')) return path
  }
  throw new Error('setpriv (util-linux) is needed, and is not in PATH')
}

/** A command as that user: what it begins is no engine's child with more rights. Undefined: the command itself. */
export function asAccount(account: Account | undefined, argv: readonly string[]): string[] {
  if (!account) return [...argv]
  const { setpriv, uid, gid, groups } = account
  return [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length > 0 ? `--groups=${groups.join(',')}` : '--clear-groups',
    '--inh-caps=-all',
    '--',
    ...argv
  ]
}

/** Variables that say who runs. */
export const variablesOf = ({ name, home }: Account): Record<string, string> => ({
  HOME: home,
  USER: name,
  LOGNAME: name
})

interface Asked {
  /** Limit of what the program prints, bytes. */
  most?: number
  limitMs?: number
}

/** The output of a short program that touches files as the user would. @throws Error with the end of its stderr */
export function doneAs(
  account: Account,
  argv: string[],
  { most = 65_536, limitMs = 10_000 }: Asked = {}
): Promise<Buffer> {
  const [program = '', ...args] = asAccount(account, argv)
  const options = { cwd: '/', env: { PATH: '/usr/bin:/bin', ...variablesOf(account) }, encoding: 'buffer' as const }
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { ...options, maxBuffer: most, timeout: limitMs, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const last = stderr.toString().trim().split('\n').at(-1)?.split(': ').at(-1)
        reject(
          new Error(error.killed ? `it took longer than ${limitMs / 1_000} s` : last || error.message, { cause: error })
        )
      }
    )
  })
}

/** Has a folder there, made by the user where there is none, that the user can enter. @throws Error that begins with the path */
export async function makeFolderAs(account: Account, path: string): Promise<void> {
  await doneAs(account, ['sh', '-c', 'mkdir -p -- "$1" && cd -- "$1"', 'sh', path]).catch((cause: Error) => {
    throw new Error(`${path} cannot be entered by ${account.name}: ${reasonOf(cause)}`, { cause })
  })
}

const reasonOf = ({ message }: Error) => message.toLowerCase().replace(/^can't cd to .*$/, 'permission denied')
