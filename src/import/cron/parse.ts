/** A crontab, line by line, as cron reads it. Source: crontab(5) of Vixie cron and cronie. */

/** A line that starts something. */
export interface Job {
  /** 1-based. */
  line: number
  /** As written. */
  text: string
  /** Five fields, or a word such as `@reboot`. */
  when: string
  user?: string
  command: string
  /** The input of the command on stdin, with the newline at the end; absent: nothing. */
  input?: string
  /** The comment above it. */
  comment: string
  /** The variables that were set above it, in order. */
  env: readonly (readonly [name: string, value: string])[]
}

export interface Crontab {
  jobs: Job[]
  /** Lines that cron would refuse, and jobs in comments. */
  odd: { line: number; text: string; isOff: boolean }[]
}

const VARIABLE = /^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*?)\s*$/
const FIELD = '[0-9A-Za-z*,/~?#-]+'
const TIMES = new RegExp(String.raw`^\s*((?:${FIELD}\s+){4}${FIELD}|@[a-z_]+)\s+(\S.*)$`, 's')
const FIVE =
  /^\s*#\s*((?:[0-9*][0-9*,/-]*\s+){3}(?:[0-9*]\S*|[a-z]{3}\S*)\s+(?:[0-9*]\S*|[a-z]{3}\S*)|@(?:reboot|daily|hourly|weekly|monthly|yearly|annually|midnight))\s+\S/i

/** The line that says what the columns mean, in the file of a new system. */
const HEADER = /^\s*#\s*m(?:in\w*)?\s+h(?:our)?\s+d/i

/** @param hasUser a user stands before each command, as in /etc/crontab */
export function parseCrontab(text: string, hasUser: boolean): Crontab {
  const found: Crontab = { jobs: [], odd: [] }
  let env: [string, string][] = []
  let comment: string[] = []
  text.split('\n').forEach((raw, index) => {
    const line = index + 1
    const written = raw.replace(/\r$/, '')
    if (written.trim() === '') comment = []
    else if (/^\s*#/.test(written)) {
      const isOff = FIVE.test(written)
      if (isOff) found.odd.push({ line, text: written, isOff })
      comment = isOff || HEADER.test(written) ? [] : [...comment, written.replace(/^\s*#+\s?/, '').trim()]
    } else {
      const variable = VARIABLE.exec(written)
      if (variable) {
        const [, double, single, plain, value = ''] = variable
        const name = double ?? single ?? plain ?? ''
        env = [...env.filter(([other]) => other !== name), [name, unquoted(value)]]
      } else {
        const job = jobIn(written, hasUser)
        if (job) found.jobs.push({ ...job, line, text: written.trim(), comment: comment.join('\n').trim(), env })
        else found.odd.push({ line, text: written, isOff: false })
      }
      comment = []
    }
  })
  return found
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value

function jobIn(text: string, hasUser: boolean): Pick<Job, 'when' | 'user' | 'command' | 'input'> | undefined {
  const [, when, rest] = TIMES.exec(text) ?? []
  if (when === undefined || rest === undefined) return undefined
  const [, user, own] = hasUser ? (/^(\S+)\s+(\S.*)$/s.exec(rest) ?? []) : [undefined, undefined, rest]
  if (own === undefined) return undefined
  const [command = '', ...input] = atPercents(own)
  return {
    when: when.replace(/\s+/g, ' '),
    command: command.trim(),
    ...(user === undefined ? {} : { user }),
    ...(input.length > 0 ? { input: `${input.join('\n')}\n` } : {})
  }
}

/** The first `%` ends the command, the others are newlines of its input; `\%` is a `%`. */
function atPercents(text: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const isEscaped = text[at] === '\\' && text[at + 1] === '%'
    if (isEscaped) at++
    if (text[at] === '%' && !isEscaped) parts.push('')
    else parts[parts.length - 1] += text[at] ?? ''
  }
  return parts
}
