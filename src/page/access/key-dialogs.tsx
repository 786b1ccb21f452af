/** Makes an API key and shows it once; takes one back. */
import { useState } from 'preact/hooks'
import { ask, pathOf, send } from '../api.ts'
import { putIntoClipboard } from '../clipboard.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAction } from '../parts/notices.tsx'
import { rulesIn } from './rule-text.ts'

const ROLES = ['none', 'viewer', 'runner', 'editor', 'admin']
const ENDS: [string, string][] = [
  ['30d', 'after 30 days'],
  ['90d', 'after 90 days'],
  ['365d', 'after a year'],
  ['', 'when it is revoked']
]

interface Made {
  name: string
  key: string
}

export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  return made ? (
    <GivenDialog name={made.name} text={made.key} onClose={onClose} />
  ) : (
    <MakeDialog onMade={setMade} onClose={onClose} />
  )
}

function MakeDialog({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { isBusy, act } = useAction()
  const [name, setName] = useState('')
  const [role, setRole] = useState('viewer')
  const [rules, setRules] = useState('')
  const [expires, setExpires] = useState('90d')
  const make = () =>
    act(async () => {
      const body = { name, role, rules: rulesIn(rules), ...(expires === '' ? {} : { expires }) }
      onMade(await ask<Made>('/access/keys', { method: 'POST', body }))
      return ''
    })
  return (
    <Dialog title="New key" yes="Create key" isBusy={isBusy} onYes={make} onClose={onClose}>
      <label class="field">
        Name
        <input
          type="text"
          required
          maxLength={40}
          autoComplete="off"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="field">
        Role on the server
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
          {ROLES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Rules, a line each
        <textarea
          class="rules-text"
          rows={3}
          spellcheck={false}
          placeholder="runner dags=etl-*,prod tags=nightly"
          value={rules}
          onInput={({ currentTarget }) => setRules(currentTarget.value)}
        />
      </label>
      <p class="soft">A rule gives another role for some definitions, by dags, groups or tags. An admin has none.</p>
      <label class="field">
        Expires
        <select value={expires} onChange={({ currentTarget }) => setExpires(currentTarget.value)}>
          {ENDS.map(([value, text]) => (
            <option key={text} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </Dialog>
  )
}

function GivenDialog({ name, text, onClose }: { name: string; text: string; onClose: () => void }) {
  const { act } = useAction()
  const copy = () =>
    act(async () => {
      await putIntoClipboard(text)
      return 'The key is in the clipboard.'
    })
  return (
    <Dialog title={`The key ${name}`} yes="Done" onYes={onClose} onClose={onClose}>
      <p>It is shown this once: the server keeps no more of it than a hash.</p>
      <label class="field">
        Key
        <input type="text" class="mono" readOnly value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>
      <p>
        <button type="button" class="button" onClick={copy}>
          Copy
        </button>
      </p>
    </Dialog>
  )
}

export function RevokeDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { isBusy, act } = useAction()
  const revoke = async () => {
    const isDone = await act(async () => {
      await send(`/access/keys${pathOf(name)}`, { method: 'DELETE' })
      return `${name} lets nobody in any more.`
    })
    if (isDone) onClose()
  }
  return (
    <Dialog title={`Revoke ${name}`} yes="Revoke" isGrave isBusy={isBusy} onYes={revoke} onClose={onClose}>
      <p>Requests with the key are refused from now on, and streams that are open end. This cannot be taken back.</p>
    </Dialog>
  )
}
