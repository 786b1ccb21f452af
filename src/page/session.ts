/** Who the visitor is, and what they may do. The server decides; the page only disables what it would refuse. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { askAt, Refusal } from './api.ts'

export type Permission = 'read' | 'run' | 'write'
export interface Session {
  name: string
  permissions: Permission[]
}

// D452, D456
/** @throws Refusal */
export async function readSession(): Promise<Session> {
  const session = await askAt<Session | null>('page/session', { isOfSession: true })
  if (Array.isArray(session?.permissions)) return session
  throw new Refusal(0, 'The answer to “who am I?” does not come from Troupe. Is there another service at this address?')
}

export const SessionContext = createContext<Session>({ name: '', permissions: ['read'] })

/** Why the visitor may not do something; undefined: they may. */
export function useRefusal(permission: Permission): string | undefined {
  const { permissions } = useContext(SessionContext)
  return permissions.includes(permission) ? undefined : `You do not have the “${permission}” permission.`
}
