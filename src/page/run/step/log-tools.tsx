/** What can be done with a log: search, follow, wrap, copy, download, full screen. */
import type { RefObject } from 'preact'
import { useId } from 'preact/hooks'
import { seenText } from '../../../platform/seen-text.ts'
import { hasToken, send, urlOf } from '../../api.ts'
import { putIntoClipboard } from '../../clipboard.ts'
import { Check, IconButton } from '../../parts/fields.tsx'
import { useAction } from '../../parts/notices.tsx'
import { capitalized, sentence } from '../../text.ts'
import type { Finds } from './use-search.ts'

interface Props {
  path: string
  stream: string
  total: number
  room: RefObject<HTMLElement | null>
  search: RefObject<HTMLInputElement | null>
  wanted: string
  onWanted: (text: string) => void
  /** What is wanted is a regular expression. */
  isRegex: boolean
  onRegex: (isOn: boolean) => void
  finds: Finds
  /** Index of the find that is shown; -1: none yet. */
  found: number
  onFind: (direction: 1 | -1) => void
  isFollowing: boolean
  onFollow: (isOn: boolean) => void
  isWrapped: boolean
  onWrap: (isOn: boolean) => void
}

const COUNT = new Intl.NumberFormat('en')
/** A clipboard is no place for more. */
const MOST_COPIED = 50_000

export function LogTools(props: Props) {
  const { path, stream, total, room, search, wanted, onWanted, isRegex, onRegex, finds, found, onFind } = props
  const wrong = useId()
  const { act, isBusy } = useAction()
  const file = `${path}/file${stream && `?stream=${stream}`}`
  const copy = () =>
    act(async () => {
      if (total > MOST_COPIED) throw new Error(`The log has ${COUNT.format(total)} lines: download it instead.`)
      const text = await (await send(file)).text()
      await putIntoClipboard(seenText(text))
      return 'Copied the log.'
    })
  // A link cannot send a token.
  const download = () =>
    act(async () => {
      const link = document.createElement('a')
      const held = hasToken() ? URL.createObjectURL(await (await send(file)).blob()) : undefined
      link.href = held ?? urlOf(file)
      link.download = `${path
        .split('/')
        .slice(2)
        .filter((part) => part !== 'steps')
        .join('.')}`
      link.click()
      if (held) URL.revokeObjectURL(held)
      return 'The download has begun.'
    })
  return (
    <div class="log-tools">
      <label class="field">
        <span class="unseen">Find in the log</span>
        <input
          ref={search}
          type="search"
          placeholder="Find"
          maxLength={1_000}
          value={wanted}
          aria-invalid={finds.wrong !== undefined}
          aria-describedby={finds.wrong === undefined ? undefined : wrong}
          onInput={({ currentTarget }) => onWanted(currentTarget.value)}
          onKeyDown={({ key, shiftKey }) => key === 'Enter' && onFind(shiftKey ? -1 : 1)}
        />
      </label>
      <button
        type="button"
        class="plain round mono"
        aria-label="Regular expression"
        aria-pressed={isRegex}
        title="Regular expression"
        onClick={() => onRegex(!isRegex)}
      >
        .*
      </button>
      {wanted !== '' && (
        <span id={wrong} class={finds.wrong === undefined ? 'soft' : 'wrong'} role="status">
          {finds.wrong === undefined ? findsText(finds, found, total) : sentence(capitalized(finds.wrong))}
        </span>
      )}
      <span class="icons">
        <Check icon="follow" text="Follow" isOn={props.isFollowing} onChange={props.onFollow} />
        <Check icon="wrap" text="Wrap" isOn={props.isWrapped} onChange={props.onWrap} />
        <IconButton icon="copy" text="Copy" isOff={isBusy} onAct={copy} />
        <IconButton icon="save" text="Download" isOff={isBusy} onAct={download} />
        <IconButton icon="full" text="Full screen" onAct={() => toggleFullScreen(room.current)} />
      </span>
    </div>
  )
}

function findsText({ count, lines, searched, isDone }: Finds, found: number, total: number): string {
  const where = isDone ? '' : `, ${Math.floor((searched / Math.max(1, total)) * 100)} % searched`
  if (count === 0) return isDone ? 'Not found' : `Searching${where}`
  const which = found < 0 ? '' : `${COUNT.format(Math.min(found, lines.length) + 1)} of `
  return `${which}${COUNT.format(count)} ${count === 1 ? 'line' : 'lines'}${where}`
}

function toggleFullScreen(room: HTMLElement | null): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void room?.requestFullscreen()
}
