/** The visitor, and what they may do. The server decides; the page only disables what it would refuse. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Permission } from './answers.ts'
import { askAt, Refusal } from './api.ts'

export interface Session {
  name: string
  /** On the server, or with a DAG; absent: permissions alone say what they may do. */
  role?: string
  permissions: Permission[]
  /** Perhaps with a definition; absent: they may do the same with all of them. */
  somewhere?: Permission[]
  /** There is an audit log that they may look at. */
  audit?: boolean
}

// D452, D456: `GET <basePath>/page/session` says who the caller is and what they may do
/** @param dag what they may do with this DAG; absent: on the server @throws Refusal */
export async function readSession(dag?: string, signal?: AbortSignal): Promise<Session> {
  const query = dag === undefined ? '' : `?${new URLSearchParams({ dag })}`
  const session = await askAt<Session | null>(`page/session${query}`, {
    isOfSession: true,
    ...(signal ? { signal } : {})
  })
  if (Array.isArray(session?.permissions)) return session
  throw new Refusal(0, 'The answer to “who am I?” does not come from Troupe. Is there another service at this address?')
}

export const SessionContext = createContext<Session>({ name: '', permissions: ['read'] })

/** Why the visitor may not do something; undefined: they may. @param admin it takes the role of an admin as well */
export function useRefusal(permission: Permission, admin?: 'admin'): string | undefined {
  const { permissions, role = 'admin' } = useContext(SessionContext)
  if (!permissions.includes(permission)) return `You do not have the “${permission}” permission.`
  return admin === undefined || role === 'admin' ? undefined : 'This takes the role “admin”.'
}

/** A row of a list, with what the visitor may do with it; absent: as on the server. */
interface OwnPermissions {
  permissions?: Permission[]
}

/** Whether the visitor may do something with a row of a list. */
export function useMayWith(permission: Permission): (row: OwnPermissions) => boolean {
  const whole = useContext(SessionContext)
  return ({ permissions = whole.permissions }) => permissions.includes(permission)
}

/** Whether the visitor may do something with a definition, perhaps not with each. */
export function useMaySomewhere(permission: Permission): boolean {
  const { permissions, somewhere = permissions } = useContext(SessionContext)
  return somewhere.includes(permission)
}
