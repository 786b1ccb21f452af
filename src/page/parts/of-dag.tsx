/** Parts of the page about one DAG, or one row of a list: what their visitor may not do with it is off there. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Permission } from '../answers.ts'
import { readSession, type Session, SessionContext } from '../session.ts'

// D1398: the page asks what its visitor may do with a DAG where it shows one
/** @param name of the DAG */
export function OfDag({ name, children }: { name: string; children: ComponentChildren }) {
  const whole = useContext(SessionContext)
  const isTheSame = whole.somewhere === undefined
  const [own, setOwn] = useState<{ name: string; session: Session }>()
  useEffect(() => {
    if (isTheSame) return undefined
    const ended = new AbortController()
    readSession(name, ended.signal).then(
      (session) => setOwn({ name, session }),
      () => {} // the server refuses what they may not do
    )
    return () => ended.abort()
  }, [name, isTheSame])
  const known = !isTheSame && own?.name === name ? own.session : whole
  return <SessionContext.Provider value={known}>{children}</SessionContext.Provider>
}

/** Is about one row: what its visitor may not do with it is off there. @param permissions as the list says; absent: as on the server */
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
