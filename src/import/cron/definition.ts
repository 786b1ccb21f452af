/** A line of a crontab as a definition. */
import { Document, isScalar, Scalar, visit } from 'yaml'
import type { Job } from './parse.ts'

export interface Made {
  text: string
  notes: { text: string; advice?: string; kind: 'note' | 'left' | 'translated' }[]
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

/** Variables that cron itself reads. */
const OF_CRON = new Set([
  'SHELL',
  'MAILTO',
  'MAILFROM',
  'CRON_TZ',
  'HOME',
  'LOGNAME',
  'USER',
  'RANDOM_DELAY',
  'CONTENT_TYPE',
  'CONTENT_TRANSFER_ENCODING',
  'START_HOURS_RANGE'
])

// D1510
/** @param from the crontab, as its comment says @param self the user that runs this command */
export function definitionOf(job: Job, name: string, from: string, self: string): Made {
  const notes: Made['notes'] = []
  const env = new Map(job.env)
  const shell = env.get('SHELL') || '/bin/sh'
  const zone = env.get('CRON_TZ')
  const own = job.env.filter(([name]) => !OF_CRON.has(name))
  const when = scheduleOf(job.when, zone, notes)
  const isOther = job.user !== undefined && job.user !== self
  const wanted: Record<string, unknown> = {
    ...(job.comment ? { description: job.comment } : {}),
    ...(when === undefined ? {} : { schedule: when }),
    shell,
    workingDir: env.get('HOME') || '${HOME}',
    dotenv: [],
    ...(own.length > 0 && !isOther ? { env: own.map(([name, value]) => ({ [name]: value })) } : {}),
    ...mailOf(env, notes),
    steps: [{ name, ...commandOf(job, isOther ? { shell, own } : undefined) }]
  }
  if (isOther)
    notes.push({
      kind: 'note',
      text: `it runs as ${job.user} by sudo, as this engine would run it as ${self}`,
      advice: `let ${self} use sudo -n -u ${job.user}, or run an engine as ${job.user}`
    })
  if (!isOther)
    for (const [name, value] of own)
      if (/[$`]/.test(value))
        notes.push({
          kind: 'note',
          text: `${name} has a $ or a backtick: cron takes it as it is, here it is evaluated`,
          advice: `look at env: ${name}`
        })
  if (env.get('RANDOM_DELAY'))
    notes.push({
      kind: 'left',
      text: 'RANDOM_DELAY has no counterpart',
      advice: 'write delaySec, or a sleep in the command'
    })
  const document = new Document(wanted)
  document.commentBefore = ` From ${from}, line ${job.line}:\n ${job.text.replace(/[\0-\x08\x0b-\x1f]/g, ' ')}`
  // Otherwise `yes` or `1.0` as a value of cron would become something else.
  visit(document, {
    Scalar(key, node) {
      if (key === 'value' && isScalar(node) && typeof node.value === 'string' && node.value.includes('\n'))
        node.type = Scalar.BLOCK_LITERAL
    }
  })
  return { text: document.toString({ lineWidth: 0 }), notes }
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

/** cron mails whatever a command prints; here the end of a run is mailed. */
function mailOf(env: ReadonlyMap<string, string>, notes: Made['notes']): Record<string, unknown> {
  const to = (env.get('MAILTO') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  const from = env.get('MAILFROM')
  if (to.length === 0) return {}
  notes.push({
    kind: 'note',
    text: `MAILTO: a failure is mailed to ${to.join(', ')}, with the logs; cron mailed every output`,
    advice: 'write smtp in the base file; mailOn: {success: true} and infoMail mail successes, too'
  })
  return { mailOn: { failure: true }, errorMail: { ...(from ? { from } : {}), to, attachLogs: true } }
}

/** @param other it runs as another user: its shell, and the variables that sudo would take away */
function commandOf(
  { command, input, user }: Job,
  other: { shell: string; own: Job['env'] } | undefined
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
  if (input === undefined) return { command: run }
  let end = 'INPUT'
  while (input.split('\n').includes(end)) end += '_'
  return { script: `{ ${run}\n} <<'${end}'\n${input}${end}\n` }
}

/** A word of a shell. */
const word = (text: string): string =>
  /^[A-Za-z0-9_./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
