/** The text as the server has it, and how another one is stored in its place. */
import { useState } from 'preact/hooks'
import { ask, pathOf, Refusal } from '../api.ts'
import { useAction } from '../parts/notices.tsx'
import { go, linkTo } from '../route.ts'

/** A text as the server has it. */
export interface Stored {
  spec: string
  /** Absent: it is in code, and cannot be changed here. */
  revision?: string
}

export interface Saving {
  /** What is replaced; undefined: nothing is stored under the name. */
  base: Stored | undefined
  setBase: (base: Stored) => void
  /** What somebody else has stored meanwhile: the visitor decides. */
  theirs: Stored | undefined
  setTheirs: (theirs: Stored | undefined) => void
  isBusy: boolean
  /** @param revision of the text that it replaces */
  save: (text: string, revision: string | undefined) => Promise<unknown>
  /** @param onStored called before the page goes to the definition that is there now */
  create: (name: string, text: string, onStored: () => void) => Promise<boolean>
}

/** @param onCreated called when it has been created under the name that it was to have */
export function useSaving(fileName: string, stored: Stored | undefined, onCreated: (() => void) | undefined): Saving {
  const [base, setBase] = useState(stored)
  const [theirs, setTheirs] = useState<Stored>()
  const { isBusy, act } = useAction()
  const path = `/dags${pathOf(fileName)}/spec`

  /** @throws Refusal; Error with the problems that the server found */
  async function put(text: string, revision: string | undefined): Promise<void> {
    const body = { spec: text, ...(revision === undefined ? {} : { revision }) }
    const answer = await ask<{ errors: string[]; revision?: string }>(path, { method: 'PUT', body })
    if (answer.errors.length > 0) throw new Error(`Not stored: ${answer.errors.join('\n')}`)
    setBase({ spec: text, ...(answer.revision === undefined ? {} : { revision: answer.revision }) })
    setTheirs(undefined)
  }
  return {
    base,
    setBase,
    theirs,
    setTheirs,
    isBusy,
    save: (text, revision) =>
      act(async () => {
        try {
          await put(text, revision)
        } catch (error) {
          if (!(error instanceof Refusal && error.status === 409)) throw error
          setTheirs(await ask<Stored>(path))
          return ''
        }
        return `${fileName} is saved.`
      }),
    create: (name, text, onStored) =>
      act(async () => {
        await ask('/dags', { method: 'POST', body: { name, spec: text } })
        onStored()
        setBase({ spec: text })
        // The address is that of the new definition already: its revision has to be asked for.
        if (name === fileName) onCreated?.()
        else go(linkTo(['definitions', name, 'edit']))
        return `${name} is created.`
      })
  }
}
