/** The value of a reference: step before variable, JSON paths, slices. Source: execution-semantics 3.2. */
import { documents, select } from './json-path.ts'
import type { Lookup, StepValues } from './lookup.ts'
import type { Reference } from './reference.ts'

/** The value of a reference. Without one it is an undefined name, or must stay `asWritten`, whatever reads the text. */
export interface Resolution {
  value?: string
  /** The value is a property of a step, whatever variable has the name. */
  isStep?: true
  asWritten?: true
  /** Index after the text the answer is about: `$FILE.txt` of plain text is about `$FILE`. */
  end: number
}

export type Resolve = (reference: Reference) => Resolution

const STEP_PROPERTY = /^\.(stdout|stderr|exitCode|exit_code)(:.*)?$/s
const SLICE = /^:(\d+)(?::(\d+))?$/

// D522: JSON paths into shell variables are followed
/** Resolves the references of one text; JSON values are parsed once. */
export function resolver(look: Lookup): Resolve {
  const documentOf = documents()
  const warn = ({ written }: Reference, reason: string) => look.warn?.(`${written} is left as written: ${reason}`)
  return (reference) => {
    const { name, path, braced, nameEnd, end } = reference
    const property = path === undefined ? null : STEP_PROPERTY.exec(path)
    const step = property ? look.step?.(name) : undefined
    if (property && step) {
      const [, key = '', slice] = property
      const text = step[key === 'exit_code' ? 'exitCode' : (key as keyof StepValues)] // the expression lists the keys
      const value = text === undefined || slice === undefined ? text : sliced(text, slice)
      if (value !== undefined) return { value, end, isStep: true }
      if (text !== undefined) warn(reference, 'a slice is :offset or :offset:length, both zero or greater')
      return { asWritten: true, end }
    }
    const variable = look.variable(name)
    if (variable === undefined && path !== undefined) {
      const json = documentOf(look.whole?.(name) ?? '')?.json
      const picked = typeof json === 'object' && json !== null ? select(json, path) : undefined
      if (typeof picked === 'string') return { value: picked, end }
    }
    // The property of an unknown name may be that of a step which has not started.
    if (variable === undefined) return property ? { asWritten: true, end } : { end: nameEnd }
    if (path === undefined) return { value: variable, end }
    const document = documentOf(variable)
    const picked = document ? select(document.json, path) : { reason: `the value of ${name} is not JSON` }
    if (typeof picked === 'string') return { value: picked, end }
    // Choice: `$FILE.txt` of a plain text is `$FILE` followed by text; only `${FILE.txt}` stays as written.
    if (!braced) return { value: variable, end: nameEnd }
    warn(reference, picked.reason)
    return { asWritten: true, end }
  }
}

/** Characters are code points. */
function sliced(text: string, slice: string): string | undefined {
  const [whole, offset, length] = SLICE.exec(slice) ?? []
  if (whole === undefined) return undefined
  const from = Number(offset)
  return [...text].slice(from, length === undefined ? undefined : from + Number(length)).join('')
}
