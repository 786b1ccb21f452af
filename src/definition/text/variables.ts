/**
 * Variable expansion, depending on what reads the text afterwards: only Troupe, a sh-like shell, or another interpreter.
 * Inserted values are never scanned again, so data cannot become a reference. Source: execution-semantics 3.1-3.3.
 */
import { expandShell } from '../shell/expand-shell.ts'
import type { ShellReader } from '../shell/shell.ts'
import type { Lookup } from './lookup.ts'
import { expandPlain } from './plain-text.ts'
import { isOneReference } from './reference.ts'

/** Whether a text may hold anything to evaluate. */
export const isEvaluated = (text: string): boolean => /[$`]/.test(text)

/**
 * A lookup that finds these variables before those of `look`. Both may grow afterwards.
 * @param data names of those whose values are data
 */
export const withVariables = (
  look: Lookup,
  variables: ReadonlyMap<string, string>,
  data: ReadonlySet<string>
): Lookup => ({
  variable: (name) => variables.get(name) ?? look.variable(name),
  ...(look.whole && { whole: (name) => look.whole?.(name) }),
  ...(look.step && { step: (id) => look.step?.(id) }),
  ...(look.substitute && { substitute: look.substitute.bind(look) }),
  ...(look.substitutesBy && { substitutesBy: look.substitutesBy }),
  // The process that reads a text only gets those of `look`.
  ...(look.isData && {
    isData: (name) => (variables.has(name) ? data.has(name) : look.isData?.(name) === true),
    isExported: (name, value) => !variables.has(name) && look.isExported?.(name, value) === true,
    asText: look.asText === true
  }),
  ...(look.isSecret && { isSecret: (value) => look.isSecret?.(value) === true }),
  ...(look.warn && { warn: (message) => look.warn?.(message) })
})

/**
 * Expands a field that no shell reads: an undefined name becomes empty, `${X:-default}` and its kin are computed, `\$`
 * loses its backslash. Backticks are run when there is a `look.substitute`, and are text otherwise.
 * @throws Error of a failing backtick command or of `${X:?message}`
 */
export const expandField = (text: string, look: Lookup): Promise<string> => expandPlain(text, look, 'field')

/** A lookup for one text that records whether it has returned data. */
export function noting(text: string, look: Lookup): { look: Lookup; wasData: () => boolean } {
  const { isData, substitute } = look
  if (!isData || !isEvaluated(text)) return { look, wasData: never }
  let seen = false
  const noted: Lookup = {
    ...look,
    variable(name) {
      seen ||= isData(name)
      return look.variable(name)
    },
    whole(name) {
      seen ||= isData(name)
      return look.whole?.(name)
    },
    ...(substitute && {
      substitute(command) {
        seen = true
        return substitute(command)
      }
    })
  }
  return { look: noted, wasData: () => seen }
}

const never = () => false

/**
 * Expands text that a sh-like shell will read: an undefined name, `\$` and `${X:-default}` stay for the shell; a value in
 * double quotes is escaped so that it arrives unchanged. Elsewhere what the author wrote is put in raw, and data is left to the
 * shell as a variable, or written so that it reads it as one. Backticks outside single quotes are run when there is a
 * `look.substitute` (`command`), and are the shell's otherwise (`script`). A variable whose value is a secret is left to the shell.
 * @param reader `other`: all values are put in as the author's are
 * @throws Error of a failing backtick command, where the shell could not put a secret in, or where data cannot stand
 */
export const expandShellText = (text: string, look: Lookup, reader: ShellReader = 'shell'): Promise<string> =>
  expandShell(text, look, look.substitute !== undefined, reader)

/** As `expandShellText`, of a command: one that is nothing but one reference is a command line, whatever its source (3.1.5). */
export const expandCommand = (text: string, look: Lookup, reader: ShellReader): Promise<string> =>
  expandShellText(text, look, isOneReference(text) ? 'other' : reader)

/**
 * Expands text that another interpreter (python, node, ...) will read: values raw; an undefined name, `\$` and
 * `${X:-default}` stay. Backticks are run when there is a `look.substitute`, and are text otherwise.
 * @throws Error of a failing backtick command, or for a value that is a secret
 */
export const expandRawText = (text: string, look: Lookup): Promise<string> => expandPlain(text, look, 'interpreter')

/**
 * Expands text in an executor's own language, which is passed to no program: as `expandRawText`, but `\$` and `` \` `` lose their
 * backslash.
 * @throws Error of a failing backtick command
 */
export const expandOwnText = (text: string, look: Lookup): Promise<string> => expandPlain(text, look, 'executor')
