/**
 * An image of this machine's own Debian packages and its Node, for tests of the Dockerfile: nothing is downloaded. `apt-get install` of a
 * package that is in it has nothing to do, so the commands of the Dockerfile run as they stand.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFolder } from '../homes.ts'

interface Installed {
  name: string
  needs: string[]
  provides: string[]
  isEssential: boolean
  arch: string
}

const FIELDS = ['Package', 'Essential', 'Pre-Depends', 'Depends', 'Provides', 'Architecture', 'db:Status-Status']
/** First words of `a (>= 1), b | c`. */
const namesIn = (list = '') =>
  list
    .split(/[,|]/)
    .map((one) => one.trim().split(/[ :]/)[0] ?? '')
    .filter(Boolean)

function installedPackages(): Map<string, Installed> {
  const format = `${FIELDS.map((field) => `\${${field}}`).join('\\t')}\\n`
  const text = execFileSync('dpkg-query', ['-W', '-f', format], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const found = new Map<string, Installed>()
  const foreign = execFileSync('dpkg', ['--print-foreign-architectures'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  for (const line of text.split('\n').filter(Boolean)) {
    const [name = '', essential, before, depends, provides, arch = '', status] = line.split('\t')
    if (status !== 'installed' || foreign.includes(arch)) continue
    const needs = [...namesIn(before), ...namesIn(depends)]
    found.set(name, { name, needs, provides: namesIn(provides), isEssential: essential === 'yes', arch })
  }
  return found
}

/** Undefined: not all of them are installed here, or this is no Debian. */
export function packagesWith(names: string[]): string[] | undefined {
  if (!existsSync('/var/lib/dpkg/status')) return undefined
  const all = installedPackages()
  const providing = new Map([...all.values()].flatMap(({ name, provides }) => provides.map((one) => [one, name])))
  if (!names.every((name) => all.has(name))) return undefined
  const wanted = new Set<string>()
  const add = (name: string): void => {
    const found = all.get(name) ?? all.get(providing.get(name) ?? '')
    if (!found || wanted.has(found.name)) return
    wanted.add(found.name)
    found.needs.forEach(add)
  }
  for (const { name, isEssential } of all.values()) if (isEssential) add(name)
  names.forEach(add)
  return [...wanted].sort()
}

const NEEDLESS = /^\/usr\/share\/(doc|man|locale|info|lintian|bash-completion)\//

/** Makes the image. @param packages of `packagesWith` @param docker its words before a command */
export async function debianImage(docker: string[], tag: string, packages: string[]): Promise<void> {
  const root = join(temporaryFolder(), 'root')
  mkdirSync(root)
  const places = new Set<string>()
  for (const name of packages) for (const path of filesOf(name)) places.add(placeOf(path))
  for (const path of ['/usr/bin/awk', '/etc/alternatives/awk', '/usr/bin/which']) places.add(placeOf(path))
  const there = [...places].filter((path) => !NEEDLESS.test(path) && lstatSync(path, { throwIfNoEntry: false })).sort()
  const copied = spawn('sh', ['-c', 'tar -c --no-recursion -C / -T - | tar -x -C "$0"', root], {
    stdio: ['pipe', 'ignore', 'ignore']
  })
  copied.stdin.end(there.map((path) => path.slice(1)).join('\n'))
  await new Promise((resolve) => copied.on('close', resolve))
  finish(root, new Set(packages))
  const words = [
    ...docker,
    'import',
    '--change',
    'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  ]
  execFileSync('sh', ['-c', 'root=$0; tar -c -C "$root" . | "$@"', root, ...words, '-', tag], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

function filesOf(name: string): string[] {
  return execFileSync('dpkg-query', ['-L', name], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.startsWith('/') && line !== '/.')
}

/** Where it really is: `/bin` is a link on merged systems. */
function placeOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

/** What packages make when they are installed, as far as a container needs it. */
function finish(root: string, packages: ReadonlySet<string>): void {
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() && !lstatSync(join(root, name), { throwIfNoEntry: false }))
      symlinkSync(readlinkSync(`/${name}`), join(root, name))
  }
  const folders = ['tmp', 'root', 'proc', 'sys', 'dev', 'run', 'etc', 'usr/local/bin', 'var/lib/dpkg/info', 'var/log']
  for (const folder of [
    ...folders,
    'var/lib/apt/lists/partial',
    'var/cache/apt/archives/partial',
    'var/lib/dpkg/updates'
  ])
    mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const name of ['passwd', 'group']) copyFileSync(`/usr/share/base-passwd/${name}.master`, join(root, 'etc', name))
  for (const name of ['shadow', 'gshadow']) writeFileSync(join(root, 'etc', name), '', { mode: 0o640 })
  const status = readFileSync('/var/lib/dpkg/status', 'utf8').split('\n\n')
  const kept = status.filter((one) => packages.has(/^Package: (\S+)/m.exec(one)?.[1] ?? ''))
  writeFileSync(join(root, 'var/lib/dpkg/status'), `${kept.join('\n\n')}\n`)
  for (const name of packages)
    for (const file of [`${name}.list`, `${name}:amd64.list`, `${name}:arm64.list`])
      if (existsSync(`/var/lib/dpkg/info/${file}`))
        copyFileSync(`/var/lib/dpkg/info/${file}`, join(root, 'var/lib/dpkg/info', file))
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'))
  chmodSync(join(root, 'usr/local/bin/node'), 0o755)
}
