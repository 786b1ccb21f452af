/** Types of settings that hold addresses of servers. Source: api-semantics 10.2. */
import type { Type } from './types.ts'

/** An address of http or https without user and fragment; undefined: it is none. */
export function addressIn(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || /[#\\\s]/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

/** An address without a query, or empty for none. */
export const publicAddress: Type<string> = {
  wanted: 'an http or https address such as https://troupe.example.com, without user, query and fragment',
  of: (input) =>
    typeof input === 'string' && (input === '' || (!input.includes('?') && addressIn(input))) ? input : undefined
}
