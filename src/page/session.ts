/** Who looks at the page, and what they may do. The server decides; the page only greys what it would refuse. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { sendTo } from './api.ts'

export type Permission = 'read' | 'run' | 'write'
export interface Session {
  name: string
  permissions: Permission[]
}

/** @throws Refusal */
export const readSession = async (): Promise<Session> => (await sendTo('page/session')).json()

export const SessionContext = createContext<Session>({ name: '', permissions: ['read'] })

/** Why the visitor may not, or undefined. */
export function useRefusal(permission: Permission): string | undefined {
  const { permissions } = useContext(SessionContext)
  return permissions.includes(permission) ? undefined : `you may not ${permission} anything here`
}
