/** What is below is about one row of a list: what its visitor may not do with it is off there. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { Permission } from '../answers.ts'
import { SessionContext } from '../session.ts'

/** @param permissions as the list says; absent: as on the server */
export function OfRow({
  permissions,
  children
}: {
  permissions: Permission[] | undefined
  children: ComponentChildren
}) {
  const whole = useContext(SessionContext)
  if (permissions === undefined) return <>{children}</>
  return <SessionContext.Provider value={{ ...whole, permissions }}>{children}</SessionContext.Provider>
}
