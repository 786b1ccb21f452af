/** Loads the file of the other views, once: when one of them is wanted, or when the first view has nothing more to do. */
import type { ComponentProps, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Refusal, refusalOf } from '../api.ts'
import { Awaited } from '../parts/awaited.tsx'
import { Problem } from '../parts/problem.tsx'
import { fileLoader } from './load-file.ts'
import type { Views } from './views.tsx'

/** Set by the build: the name of the file. */
declare const VIEWS_FILE: string

declare global {
  /** Set by the file. */
  var troupeViews: Views | undefined
}

// D1295: the page is two scripts that share their modules
export const loadViews = fileLoader(VIEWS_FILE, () => globalThis.troupeViews, 'This view')

/** A view of the file, as soon as it is there. */
export function Later<Name extends keyof Views>({
  view,
  with: props
}: {
  view: Name
  with: ComponentProps<Views[Name]>
}) {
  const [views, setViews] = useState(globalThis.troupeViews)
  const [refusal, setRefusal] = useState<Refusal>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (views) return
    let isWanted = true
    loadViews().then(
      (found) => isWanted && setViews(found),
      (error: unknown) => isWanted && setRefusal(refusalOf(error))
    )
    return () => {
      isWanted = false
    }
  }, [tries])
  if (!views)
    return refusal ? (
      <div class="empty">
        <h1>This view cannot be shown</h1>
        <Problem refusal={refusal} retry={() => setTries(tries + 1)} />
      </div>
    ) : (
      <Awaited />
    )
  const View = views[view] as FunctionComponent<object> // its props are those of its name
  return <View {...props} />
}
