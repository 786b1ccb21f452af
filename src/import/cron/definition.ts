/** A line of a crontab as a definition. */
import { Document, isScalar, Scalar, visit } from 'yaml'
import type { Note } from '../report.ts'
import { marked } from './identity.ts'
import type { Job } from './parse.ts'

export interface Made {
  text: string
  notes: Note[]
}

/** User and machine of the command that imports. */
export interface Self {
  user: string
  host: string
}

/** Words of cron, as five fields. */
const WORDS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *'
}

/** Variables that are for cron, and for no command. */
const OF_CRON = new Set([
  'MAILTO',
  'MAILFROM',
  'CRON_TZ',
  'LOGNAME',
  'USER',
  'RANDOM_DELAY',
  'CONTENT_TYPE',
  'CONTENT_TRANSFER_ENCODING',
  'START_HOURS_RANGE'
])

// D1510: a line of a crontab is a definition of its own
/** @param from the crontab, as its comment says */
export function definitionOf(job: Job, name: string, from: string, self: Self): Made {
  const notes: Made['notes'] = []
  const env = new Map(job.env)
  const shell = env.get('SHELL') || '/bin/sh'
  const zone = env.get('CRON_TZ')
  const own = job.env.filter(([name]) => !OF_CRON.has(name))
  const when = scheduleOf(job.when, zone, notes)
  const isOther = job.user !== undefined && job.user !== self.user
  const plain = isOther ? [] : own.filter((one) => isPlain(one, job.command))
  const exported = isOther ? [] : own.filter((one) => !plain.includes(one))
  const wanted: Record<string, unknown> = {
    ...(job.comment ? { description: job.comment } : {}),
    ...(when === undefined ? {} : { schedule: when }),
    shell,
    workingDir: env.get('HOME') || '${HOME}',
    dotenv: [],
    ...(plain.length > 0 ? { env: plain.map(([name, value]) => ({ [name]: value })) } : {}),
    ...mailOf(env, `${job.user ?? self.user}@${self.host}`, notes),
    steps: [{ name, ...commandOf(job, isOther ? { shell, own } : undefined, exported) }]
  }
  if (isOther)
    notes.push({
      kind: 'note',
      text: `it runs as ${job.user} by sudo, as this engine would run it as ${self.user}`,
      advice: `let ${self.user} use sudo -n -u ${job.user}, or run an engine as ${job.user}`
    })
  if (/[$`]/.test(env.get('HOME') ?? ''))
    notes.push({
      kind: 'left',
      text: 'HOME has a $ or a backtick: cron takes it as it is, as a folder it is evaluated here',
      advice: 'write the folder in workingDir'
    })
  if (env.get('RANDOM_DELAY'))
    notes.push({
      kind: 'left',
      text: 'RANDOM_DELAY has no counterpart',
      advice: 'write delaySec, or a sleep in the command'
    })
  const document = new Document(wanted)
  // A value of several lines is written as a block.
  visit(document, {
    Scalar(key, node) {
      if (key === 'value' && isScalar(node) && typeof node.value === 'string' && node.value.includes('\n'))
        node.type = Scalar.BLOCK_LITERAL
    }
  })
  return { text: marked(document.toString({ lineWidth: 0 }), job, from), notes }
}

function scheduleOf(when: string, zone: string | undefined, notes: Made['notes']): string | undefined {
  const fields = when.startsWith('@') ? WORDS[when] : when
  if (when === '@reboot') {
    notes.push({
      kind: 'left',
      text: '@reboot is no time',
      advice: 'start it when the machine starts, such as by a unit of systemd: troupe enqueue NAME'
    })
    return undefined
  }
  if (fields === undefined) {
    notes.push({ kind: 'left', text: `${when} is no time that is known here`, advice: 'write its schedule' })
    return undefined
  }
  if (when.startsWith('@')) notes.push({ kind: 'translated', text: `${when} is ${fields}` })
  return zone ? `CRON_TZ=${zone} ${fields}` : fields
}

// D1632: variables of a crontab are never evaluated
/** The variable is the text itself also where an engine replaces `$NAME` in the command. Quotes of the shell may be around it there. */
const isPlain = ([name, value]: readonly [string, string], command: string): boolean =>
  /^[A-Za-z0-9_.:/@,+=%-]*$/.test(value) && !(command.includes("'") && new RegExp(`\\$\\{?${name}\\b`).test(command))

/**
 * @param other it runs as another user: its shell, and the variables that sudo would take away
 * @param exported variables whose values must not be evaluated: the shell sets them
 */
function commandOf(
  { command, input, user }: Job,
  other: { shell: string; own: Job['env'] } | undefined,
  exported: Job['env']
): Record<string, string> {
  const run = other
    ? [
        'sudo',
        '-n',
        '-H',
        '-u',
        user ?? '',
        '--',
        'env',
        ...other.own.map(([name, value]) => `${name}=${value}`),
        other.shell,
        '-c',
        `cd; ${command}`
      ]
        .map(word)
        .join(' ')
    : command
  const set = exported.map(([name, value]) => `export ${name}=${word(value)}\n`).join('')
  if (input === undefined) return set === '' ? { command: run } : { script: `${set}${run}\n` }
  let end = 'INPUT'
  while (input.split('\n').includes(end)) end += '_'
  return { script: `${set}{ ${run}\n} <<'${end}'\n${input}${end}\n` }
}

/** A word of a shell. */
const word = (text: string): string =>
  /^[A-Za-z0-9_./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** Without what would be evaluated or split here. */
const ADDRESS = /^[^\s@,;:<>()"'$`]+@[^\s@,;:<>()"'$`]+$/

// D1631: a mail of cron is written only as far as it can be sent
/**
 * cron mails whatever a command prints; here the end of a run is mailed.
 * @param owner the sender where MAILFROM names none, as cron has it
 */
function mailOf(env: ReadonlyMap<string, string>, owner: string, notes: Note[]): Record<string, unknown> {
  const named = wordsOf(env.get('MAILTO'))
  const to = named.filter((one) => ADDRESS.test(one))
  const wrong = named.filter((one) => !ADDRESS.test(one))
  const [sender, ...more] = wordsOf(env.get('MAILFROM'))
  const isSender = sender !== undefined && more.length === 0 && ADDRESS.test(sender)
  const from = isSender ? sender : owner
  if (wrong.length > 0)
    notes.push({
      kind: 'left',
      text: `MAILTO: ${wrong.join(', ')}: no address, such as name@example.org; nothing is mailed to it`,
      advice: 'write mailOn: {failure: true} and errorMail with an address'
    })
  if (to.length === 0) return {}
  if (sender !== undefined && !isSender)
    notes.push({
      kind: 'left',
      text: `MAILFROM: ${[sender, ...more].join(', ')}: wanted one address; the sender is ${from}`,
      advice: 'write another errorMail.from'
    })
  notes.push({
    kind: 'note',
    text: `MAILTO: a failure is mailed to ${to.join(', ')} from ${from}, with the logs, once smtp is in the base file; cron mailed every output`,
    advice: 'write smtp in the base file; mailOn: {success: true} and infoMail mail successes, too'
  })
  return { mailOn: { failure: true }, errorMail: { from, to, attachLogs: true } }
}

const wordsOf = (text = ''): string[] =>
  text
    .split(/[,\s]+/)
    .map((one) => one.trim())
    .filter(Boolean)
