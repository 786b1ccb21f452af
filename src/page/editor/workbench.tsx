/** The editor of one definition: its text, problems and graph, and the acts of its author. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isWithControl, usePageKey } from '../keys.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Awaited } from '../parts/awaited.tsx'
import { useNotify } from '../parts/notices.tsx'
import { Problem } from '../parts/problem.tsx'
import { useRefusal } from '../session.ts'
import { DraftOffers } from './draft-offers.tsx'
import type { Draft } from './drafts.ts'
import { LiveGraph, ProblemList } from './live-graph.tsx'
import { useEditorFile } from './load-editor.ts'
import { ConflictDialog, NameDialog, SaveDialog } from './save-dialogs.tsx'
import { lineOfStep } from './step-line.ts'
import type { TextEditor } from './text/text-editor.ts'
import { TextBox } from './text-box.tsx'
import { useCheck } from './use-check.ts'
import { useDraft } from './use-draft.ts'
import { type Stored, useSaving } from './use-saving.ts'

interface Props {
  /** Empty: it has no name yet. */
  fileName: string
  /** Absent: nothing is stored under the name. */
  stored?: Stored
  /** What the text begins with; absent: what is stored. */
  start?: string
  /** From 1: where the cursor begins. */
  line?: number
  /** Called when it has been created under the name that it was to have. */
  onCreated?: () => void
}

const BEGINNING = 'steps:\n  - name: first\n    command: echo "Hello"\n'

export function Workbench({ fileName, stored, start = stored?.spec ?? BEGINNING, line = 1, onCreated }: Props) {
  const { file, refusal: missing, retry } = useEditorFile()
  const { base, setBase, theirs, setTheirs, isBusy, save, create } = useSaving(fileName, stored, onCreated)
  const [text, setText] = useState(start)
  const [asked, setAsked] = useState<'save' | 'name' | undefined>()
  const editor = useRef<TextEditor | undefined>(undefined)
  const { checked, dag, refusal: unchecked, check } = useCheck(fileName)
  const { note, isRefused } = useDraft(fileName)
  const notify = useNotify()
  const mayNot = useRefusal('write')
  const isFixed = mayNot !== undefined || (stored !== undefined && stored.revision === undefined)
  const isChanged = text !== (base?.spec ?? start)

  useEffect(() => {
    note(isChanged && !isFixed ? text : undefined, base?.revision)
  }, [text, base, isChanged, isFixed, note])
  useEffect(() => {
    // The editor asks for a check only of what can be typed.
    if (isFixed) void check(text)
  }, [isFixed, check])

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
  // In a dialog, too, where the browser would save the page.
  usePageKey({
    isWanted: (event) => event.key.toLowerCase() === 's' && isWithControl(event) && !event.shiftKey,
    act: () => {
      if (asked === undefined && !theirs) wantToSave()
    },
    inDialogs: true
  })
  const replace = (next: string) => {
    editor.current?.replace(next)
    editor.current?.focus()
  }

  // Closed whatever comes of it: a message would be behind the dialog.
  const saveOver = (revision: string | undefined) => void save(text, revision).then(() => setAsked(undefined))
  const restore = (draft: Draft) => {
    replace(draft.text)
    // The draft was begun on another text: the server tells whether that is still the stored one.
    if (base && draft.revision !== undefined) setBase({ ...base, revision: draft.revision })
  }
  const ready = useCallback((found: TextEditor | undefined) => {
    editor.current = found
    found?.jumpTo(line)
  }, [])

  if (!file) return missing ? <Problem refusal={missing} retry={retry} /> : <Awaited />
  return (
    <>
      {!isFixed && <DraftOffers fileName={fileName} revision={base?.revision} onRestore={restore} />}
      <div class="workbench-head">
        <State isFixed={isFixed} isNew={!base} isChanged={isChanged} isRefused={isRefused} />
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
      </div>
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
          <p class="workbench-foot soft">
            <span>
              <kbd>Tab</kbd> indents; <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text.
            </span>
            <span>
              <kbd>Ctrl .</kbd> corrects, <kbd>Ctrl Space</kbd> offers names, <kbd>Ctrl S</kbd> saves.
            </span>
          </p>
        </section>
        <section class="workbench-side" aria-label="What it is">
          <Problem refusal={unchecked} retry={() => void check(text)} />
          {!isFixed && (
            <ProblemList
              problems={problems}
              onChoose={({ line = 1, column }) => editor.current?.jumpTo(line, column)}
              onFix={(problem, fix) => editor.current?.correct(problem, fix)}
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
          onYes={() => saveOver(base.revision)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'name' && (
        <NameDialog
          title="Create a definition"
          yes="Create"
          name={fileName}
          isBusy={isBusy}
          onYes={(name) => void create(name, text, () => note(undefined, undefined))}
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
          onYes={() => saveOver(theirs.revision)}
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
