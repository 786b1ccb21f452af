/** The editor of one definition: its text, problems and graph, and the acts of whoever writes it. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, pathOf, Refusal } from '../api.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Awaited } from '../parts/awaited.tsx'
import { useAction, useNotify } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { go, linkTo } from '../route.ts'
import { useRefusal } from '../session.ts'
import { exactTime } from '../text.ts'
import { type Draft, draftsOf, dropDraft } from './drafts.ts'
import { LiveGraph, ProblemList } from './live-graph.tsx'
import { useEditorFile } from './load-editor.ts'
import { ConflictDialog, NameDialog, SaveDialog } from './save-dialogs.tsx'
import { lineOfStep } from './step-line.ts'
import type { TextEditor } from './text/text-editor.ts'
import { TextBox } from './text-box.tsx'
import { useCheck } from './use-check.ts'
import { useDraft } from './use-draft.ts'

/** A text as the server has it. */
export interface Stored {
  spec: string
  /** Absent: it is in code, and cannot be changed here. */
  revision?: string
}

interface Props {
  /** Empty: it has no name yet. */
  fileName: string
  /** Absent: nothing is stored under the name. */
  stored?: Stored
  /** What a new definition begins with. */
  start?: string
  /** From 1: where the cursor begins. */
  line?: number
}

const BEGINNING = 'steps:\n  - name: first\n    command: echo "Hello"\n'

export function Workbench({ fileName, stored, start = BEGINNING, line = 1 }: Props) {
  const { file, refusal: missing, retry } = useEditorFile()
  const [base, setBase] = useState<Stored | undefined>(stored)
  const [text, setText] = useState(stored?.spec ?? start)
  const [asked, setAsked] = useState<'save' | 'name' | undefined>()
  const [theirs, setTheirs] = useState<Stored>()
  const [drafts, setDrafts] = useState(() => draftsOf(fileName))
  const editor = useRef<TextEditor | undefined>(undefined)
  const { checked, dag, refusal: unchecked, check } = useCheck(fileName)
  const { note, isRefused } = useDraft(fileName)
  const { isBusy, act } = useAction()
  const notify = useNotify()
  const mayNot = useRefusal('write')
  const isFixed = mayNot !== undefined || (stored !== undefined && stored.revision === undefined)
  const isChanged = text !== (base?.spec ?? start)

  useEffect(() => {
    note(isChanged && !isFixed ? text : undefined, base?.revision)
  }, [text, base, isChanged, isFixed, note])

  const problems = checked?.text === text ? checked.problems : undefined
  const faults = problems?.filter(({ isWarning }) => !isWarning) ?? []
  const whyNot =
    mayNot ??
    (isFixed ? `${fileName} is defined in the code of the application: change it there.` : undefined) ??
    (base && !isChanged ? 'Nothing has changed.' : undefined) ??
    (faults.length > 0 ? 'A definition with problems is not stored. Its text is kept in this browser.' : undefined)

  const wantToSave = () => {
    if (whyNot === undefined) return setAsked(base ? 'save' : 'name')
    notify('failed', whyNot)
    const [first] = faults
    if (first?.line !== undefined) editor.current?.jumpTo(first.line, first.column)
  }
  useSaveKey(() => {
    if (asked === undefined && !theirs) wantToSave()
  })
  const replace = (next: string) => {
    editor.current?.replace(next)
    editor.current?.focus()
  }

  /** @throws Refusal; Error with the problems that the server found */
  async function put(name: string, revision: string | undefined): Promise<void> {
    const body = { spec: text, ...(revision === undefined ? {} : { revision }) }
    const answer = await ask<{ errors: string[]; revision?: string }>(`/dags${pathOf(name)}/spec`, {
      method: 'PUT',
      body
    })
    if (answer.errors.length > 0) throw new Error(`Not stored: ${answer.errors.join('\n')}`)
    setBase({ spec: text, ...(answer.revision === undefined ? {} : { revision: answer.revision }) })
    setAsked(undefined)
    setTheirs(undefined)
  }
  const save = (revision: string | undefined) =>
    act(async () => {
      try {
        await put(fileName, revision)
      } catch (error) {
        if (!(error instanceof Refusal && error.status === 409)) throw error
        setAsked(undefined)
        setTheirs(await ask<Stored>(`/dags${pathOf(fileName)}/spec`))
        throw error
      }
      return `${fileName} is saved.`
    })
  const create = (name: string) =>
    act(async () => {
      await ask('/dags', { method: 'POST', body: { name, spec: text } })
      note(undefined, undefined)
      setBase({ spec: text })
      go(linkTo(['definitions', name, 'edit']))
      return `${name} is created.`
    })
  const restore = (draft: Draft) => {
    replace(draft.text)
    // It was begun on another text: the server tells whether that is still the stored one.
    if (base && draft.revision !== undefined) setBase({ ...base, revision: draft.revision })
    forget(draft)
  }
  const forget = ({ id }: Draft) => {
    dropDraft(fileName, id)
    setDrafts((all) => all.filter((other) => other.id !== id))
  }
  const ready = useCallback((found: TextEditor | undefined) => {
    editor.current = found
    found?.jumpTo(line)
  }, [])

  if (!file) return missing ? <Problem refusal={missing} retry={retry} /> : <Awaited />
  return (
    <>
      {!isFixed &&
        drafts.map((draft) => (
          <DraftOffer
            key={draft.id}
            draft={draft}
            isOld={base !== undefined && draft.revision !== base.revision}
            onRestore={() => restore(draft)}
            onDrop={() => forget(draft)}
          />
        ))}
      <div class="workbench">
        <section class="workbench-text" aria-label="Text">
          <TextBox
            file={file}
            text={text}
            label={`Text of ${fileName || 'the new definition'}`}
            isReadOnly={isFixed}
            onChange={setText}
            check={check}
            onReady={ready}
          />
          <p class="workbench-foot">
            <State isFixed={isFixed} isNew={!base} isChanged={isChanged} isRefused={isRefused} />
            <span class="soft">
              <kbd>Tab</kbd> indents; <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text. <kbd>Ctrl .</kbd> corrects.
            </span>
          </p>
        </section>
        <section class="workbench-side" aria-label="What it is">
          {!isFixed && (
            <div class="buttons">
              <ActionButton kind="main" refusal={whyNot} isBusy={isBusy} onAct={wantToSave}>
                {base ? 'Save' : 'Create'}
              </ActionButton>
              {base && (
                <button type="button" class="button" disabled={!isChanged} onClick={() => replace(base.spec)}>
                  Back to the stored text
                </button>
              )}
            </div>
          )}
          <Problem refusal={unchecked} />
          {!isFixed && (
            <ProblemList
              problems={problems}
              onChoose={({ line = 1, column }) => editor.current?.jumpTo(line, column)}
            />
          )}
          <LiveGraph dag={dag} onStep={(name) => editor.current?.jumpTo(lineOfStep(text, name) ?? 1)} />
        </section>
      </div>
      {asked === 'save' && base && (
        <SaveDialog
          file={file}
          fileName={fileName}
          before={base.spec}
          after={text}
          isBusy={isBusy}
          onYes={() => void save(base.revision)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'name' && (
        <NameDialog
          title="Create a definition"
          yes="Create"
          name={fileName}
          isBusy={isBusy}
          onYes={(name) => void create(name)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {theirs && (
        <ConflictDialog
          file={file}
          fileName={fileName}
          before={theirs.spec}
          after={text}
          isBusy={isBusy}
          onYes={() => void save(theirs.revision)}
          onTake={() => {
            setBase(theirs)
            replace(theirs.spec)
            setTheirs(undefined)
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </>
  )
}

/** Ctrl-S, wherever the focus is. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

function State({
  isFixed,
  isNew,
  isChanged,
  isRefused
}: Record<'isFixed' | 'isNew' | 'isChanged' | 'isRefused', boolean>) {
  if (isFixed) return <span class="chip">Read only</span>
  if (isRefused) return <span class="chip bad">This browser does not keep your text: save it before you leave</span>
  if (isChanged) return <span class="chip lit">Not saved; kept in this browser</span>
  return <span class="chip">{isNew ? 'New' : 'Saved'}</span>
}

interface OfferProps {
  draft: Draft
  /** The stored text is another one than that it was begun on. */
  isOld: boolean
  onRestore: () => void
  onDrop: () => void
}

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' })

const DraftOffer = ({ draft, isOld, onRestore, onDrop }: OfferProps) => (
  <div class="offer" role="status">
    <p>
      This browser has a text of {DAY.format(draft.at)}, {exactTime(draft.at).slice(0, 8)} that was not saved.
      {isOld && ' The stored definition has changed since.'}
    </p>
    <div class="buttons">
      <button type="button" class="button small main" onClick={onRestore}>
        Restore it
      </button>
      <button type="button" class="button small" onClick={onDrop}>
        Discard it
      </button>
    </div>
  </div>
)
