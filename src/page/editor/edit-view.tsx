/** The view in which a definition is edited, and the one for a new definition. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo } from 'preact/hooks'
import { pathOf } from '../api.ts'
import { Awaited } from '../parts/awaited.tsx'
import { OfDag } from '../parts/of-dag.tsx'
import { Problem } from '../parts/problem.tsx'
import { linkTo } from '../route.ts'
import { SessionContext, useMaySomewhere } from '../session.ts'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import type { Stored } from './use-saving.ts'
import { Workbench } from './workbench.tsx'

/** @param line from 1: where the cursor begins @param version revision of an earlier text that it begins with; empty: the stored one */
export function EditView({ fileName, version, line }: { fileName: string; version: string; line?: number }) {
  const { value, refusal, refresh } = useAnswer<Stored & { dag: { name: string } }>(`/dags${pathOf(fileName)}/spec`)
  const earlier = useAnswer<{ spec: string }>(
    version === '' ? undefined : `/dags${pathOf(fileName, 'versions', version)}`
  )
  useEffect(() => {
    setTitle(`Edit ${fileName}`)
  }, [fileName])
  const isGone = refusal?.status === 404
  return (
    <div class="definition">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/definitions">Definitions</a>
        <a href={linkTo(['definitions', fileName])}>{fileName}</a>
      </nav>
      <h1>Edit {fileName}</h1>
      <Problem refusal={earlier.refusal} retry={earlier.refresh} />
      {value && version !== '' && !earlier.value ? (
        !earlier.refusal && <Awaited />
      ) : value ? (
        <OfDag name={value.dag.name}>
          <Workbench
            fileName={fileName}
            stored={value}
            {...(earlier.value ? { start: earlier.value.spec } : {})}
            {...(line === undefined ? {} : { line })}
          />
        </OfDag>
      ) : isGone ? (
        <>
          <p class="soft">There is no definition {fileName}: it is created when you save it.</p>
          <ForNew>
            <Workbench fileName={fileName} onCreated={refresh} />
          </ForNew>
        </>
      ) : refusal ? (
        <Problem refusal={refusal} retry={refresh} />
      ) : (
        <Awaited />
      )}
    </div>
  )
}

const NAME = /^name:.*\n/m
/** Later documents keep their names: steps call them. */
const first = (spec: string) => spec.split(/^---/m, 1)[0] ?? ''
const named = (spec: string) => NAME.test(first(spec))
/** Two definitions of one name would share their runs. */
const withoutName = (spec: string) => first(spec).replace(NAME, '') + spec.slice(first(spec).length)

/** @param from file name of the definition that it begins as; empty: none */
export function NewView({ from }: { from: string }) {
  const mayNot = useMaySomewhere('write') ? undefined : 'You do not have the “write” permission.'
  const { value, refusal, refresh } = useAnswer<Stored>(from === '' ? undefined : `/dags${pathOf(from)}/spec`)
  useEffect(() => {
    setTitle('New definition')
  }, [])
  return (
    <div class="definition">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/definitions">Definitions</a>
      </nav>
      <h1>{from === '' ? 'New definition' : `Copy of ${from}`}</h1>
      {mayNot ? (
        <p class="soft">{mayNot}</p>
      ) : from !== '' && !value ? (
        refusal ? (
          <Problem refusal={refusal} retry={refresh} />
        ) : (
          <Awaited />
        )
      ) : (
        <>
          {value && named(value.spec) && <p class="soft">Without its “name”: the copy is named by its file.</p>}
          <ForNew>
            <Workbench fileName="" {...(value ? { start: withoutName(value.spec) } : {})} />
          </ForNew>
        </>
      )}
    </div>
  )
}

/** A new definition is offered to all who may write something: the server looks at its name, group and tags. */
function ForNew({ children }: { children: ComponentChildren }) {
  const session = useContext(SessionContext)
  const value = useMemo(() => ({ ...session, permissions: session.somewhere ?? session.permissions }), [session])
  return <SessionContext.Provider value={value}>{children}</SessionContext.Provider>
}
