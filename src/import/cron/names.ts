/** A name for a line of a crontab: that of the program or script that it is about. */
import { basename } from 'node:path'

/** Programs that run another one, and their flags with a value. */
const RUNS_ANOTHER: Record<string, string> = {
  nice: 'n',
  ionice: 'cnp',
  sudo: 'ugh',
  env: 'uS',
  time: 'fo',
  timeout: 'ks',
  flock: 'wE',
  chronic: '',
  nohup: '',
  exec: '',
  command: '',
  setsid: '',
  systemdcat: 'tp',
  'systemd-cat': 'tp',
  bash: 'O',
  sh: '',
  dash: '',
  zsh: '',
  ksh: '',
  python: 'mWX',
  python2: 'mWX',
  python3: 'mWX',
  perl: 'I',
  php: 'dcf',
  ruby: 'I',
  node: 'r'
}
/** Words after the flags that are no program. */
const OPERANDS: Record<string, number> = { timeout: 1, flock: 1 }
const LONGEST = 36

/** Letters, digits, dashes, dots and underscores; never empty. */
export function nameFor(command: string): string {
  const parts = command.split(/&&|\|\||[;|&\n]/).map((part) => part.trim())
  for (const part of parts) {
    const found = programIn(part)
    if (found) return found
  }
  return 'job'
}

/** Words of a shell that stand before a command. */
const BEFORE = /^(?:(?:then|do|else|if|elif|while|until|!|\{|\()\s+)+/

function programIn(written: string): string | undefined {
  const part = written.replace(BEFORE, '')
  if (/^(\[|for\b|case\b|fi\b|done\b|test\b|cd\b|export\b|umask\b|set\b|\.\s|source\b|true\b|sleep\b)/.test(part))
    return undefined
  const words = part.split(/\s+/).filter((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word))
  for (let at = 0; at < words.length; at++) {
    const word = unquoted(words[at] ?? '')
    const name = basename(word)
    const flags = RUNS_ANOTHER[name]
    if (flags === undefined) return asName(name)
    let next = at + 1
    while (/^-./.test(words[next] ?? ''))
      next += /^-.$/.test(words[next] ?? '') && flags.includes((words[next] ?? '')[1] ?? ' ') ? 2 : 1
    next += OPERANDS[name] ?? 0
    if (words[next] === '-c') next++ // of flock, and of a shell
    if (next >= words.length) return asName(name)
    at = next - 1
  }
  return undefined
}

const unquoted = (word: string): string => word.replace(/^["'({]+|["')}]+$/g, '')

function asName(word: string): string | undefined {
  const name = word
    .replace(/\.(sh|bash|py|pl|php|rb|js|mjs|ts|phar|jar)$/, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .replace(/\.test$/, '-test') // a file of that name would be a test of another one
    .slice(0, LONGEST)
  return name === '' ? undefined : name
}

/** Makes names differ: the second `backup` is `backup-2`. @param taken names that are not free */
export function uniqueNames(taken: readonly string[] = []): (name: string) => string {
  const used = new Set(taken.map((name) => name.toLowerCase()))
  return (name) => {
    let unique = name
    for (let number = 2; used.has(unique.toLowerCase()); number++) unique = `${name}-${number}`
    used.add(unique.toLowerCase())
    return unique
  }
}
