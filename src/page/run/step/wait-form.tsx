/** The answer to a step that waits: a form made of the schema of its payload, or buttons to approve and refuse. Source: embedding 2.5. */
import { useId, useState } from 'preact/hooks'
import type { RunDetails, WaitingFor } from '../../answers.ts'
import { pathOf, send } from '../../api.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useAction } from '../../parts/notices.tsx'
import { Time } from '../../parts/time.tsx'
import { linkTo } from '../../route.ts'
import { useRefusal } from '../../session.ts'
import { instant, waitText } from '../../text.ts'
import { useWaits } from '../../waits/waits.tsx'
import { fieldsOf, type PayloadField, payloadOf } from './payload-form.ts'

interface Props {
  details: RunDetails
  step: string
  waiting: WaitingFor
  now: number
  /** Among others, in the panel of the run: its name leads to the step. */
  isInRun?: boolean
  onChanged: () => void
}

export function WaitForm({ details, step, waiting, now, isInRun = false, onChanged }: Props) {
  return (
    <section class="wait-form" aria-label={`Answer to ${step}`}>
      <h3>
        {isInRun ? <a href={linkTo(['runs', details.name, details.dagRunId], { step })}>{step}</a> : step}:{' '}
        {waitText(waiting.for).toLowerCase()} <Span waiting={waiting} now={now} />
      </h3>
      {waiting.ask !== '' && (
        <p>
          <LongText text={waiting.ask} label="What is asked" />
        </p>
      )}
      <Answer run={details} step={step} waiting={waiting} onChanged={onChanged} />
    </section>
  )
}

/** Since when it waits, and until when. */
export function Span({ waiting: { since, until }, now }: Pick<Props, 'waiting' | 'now'>) {
  const at = instant(until)
  return (
    <>
      since <Time at={instant(since)} today={now} />
      {at !== undefined && (
        <>
          , until <Time at={at} today={now} />
        </>
      )}
    </>
  )
}

interface AnswerProps extends Pick<Props, 'step' | 'waiting'>, Partial<Pick<Props, 'onChanged'>> {
  run: Pick<RunDetails, 'name' | 'dagRunId' | 'rootDAGRunName' | 'rootDAGRunId'>
}

export function Answer({ run, step, waiting, onChanged }: AnswerProps) {
  const { refresh } = useWaits()
  const changed = () => {
    refresh()
    onChanged?.()
  }
  const { isBusy, act } = useAction(changed)
  const refusal = useRefusal('run')
  const { name, dagRunId, rootDAGRunName, rootDAGRunId } = run
  const isRoot = name === rootDAGRunName && dagRunId === rootDAGRunId
  const path = `/dag-runs${pathOf(rootDAGRunName, rootDAGRunId)}${isRoot ? '' : `/sub-dag-runs${pathOf(dagRunId)}`}`
  const give = (said: string, makePayload: () => string) =>
    act(async () => {
      await send(`${path}/steps${pathOf(step)}/signal`, { method: 'POST', body: `{"payload":${makePayload()}}` })
      changed()
      return said
    })
  const parts = { refusal, isBusy, give, step }
  return (
    <div class="answer">
      {waiting.for === 'approval' ? <Approval {...parts} /> : <Signal {...parts} schema={waiting.payloadSchema} />}
    </div>
  )
}

interface Parts {
  refusal: string | undefined
  isBusy: boolean
  step: string
  /** @param makePayload as JSON, so that its numbers keep their digits */
  give: (said: string, makePayload: () => string) => Promise<boolean>
}

function Approval({ refusal, isBusy, step, give }: Parts) {
  const [note, setNote] = useState('')
  const answer = (approved: boolean) =>
    void give(`${step} is ${approved ? 'approved' : 'refused'}.`, () =>
      JSON.stringify({
        approved,
        ...(note.trim() === '' ? {} : { note: note.trim() })
      })
    )
  return (
    <>
      <label class="field">
        <span>Note</span>
        <input
          type="text"
          maxLength={2_000}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <ActionButton refusal={refusal} isBusy={isBusy} onAct={() => answer(true)}>
          Approve
        </ActionButton>
        <ActionButton kind="grave" refusal={refusal} isBusy={isBusy} onAct={() => answer(false)}>
          Refuse
        </ActionButton>
      </div>
    </>
  )
}

/** @throws SyntaxError */
function checked(json: string): string {
  JSON.parse(json)
  return json
}

function Signal({ refusal, isBusy, step, give, schema }: Parts & { schema: object | undefined }) {
  const fields = fieldsOf(schema)
  const form = useId()
  const [input, setInput] = useState<Record<string, string>>({})
  const [json, setJson] = useState('')
  const set = (name: string, text: string) => setInput((before) => ({ ...before, [name]: text }))
  const send = () =>
    void give(`${step} has got its signal.`, () =>
      fields ? JSON.stringify(payloadOf(fields, input)) : json.trim() === '' ? 'null' : checked(json)
    )
  return (
    <>
      {fields ? (
        fields.map((field) => (
          <div class="field" key={field.name}>
            <label for={`${form}-${field.name}`}>
              {field.label}
              {field.isRequired && ' (required)'}
            </label>
            <Input
              id={`${form}-${field.name}`}
              field={field}
              value={input[field.name] ?? field.start}
              onInput={(text) => set(field.name, text)}
            />
          </div>
        ))
      ) : (
        <label class="field">
          <span>Payload as JSON</span>
          <textarea
            rows={4}
            spellcheck={false}
            value={json}
            onInput={({ currentTarget }) => setJson(currentTarget.value)}
          />
        </label>
      )}
      <div class="buttons">
        <ActionButton refusal={refusal} isBusy={isBusy} onAct={send}>
          Send signal
        </ActionButton>
      </div>
    </>
  )
}

interface InputProps {
  id: string
  field: PayloadField
  value: string
  onInput: (text: string) => void
}

function Input({ id, field: { kind, values }, value, onInput }: InputProps) {
  if (kind === 'flag')
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === 'true'}
        onChange={({ currentTarget }) => onInput(String(currentTarget.checked))}
      />
    )
  if (kind === 'choice')
    return (
      <select id={id} value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        <option value="" />
        {values.map((choice, at) => (
          <option key={at} value={String(at)}>
            {typeof choice === 'string' ? choice : JSON.stringify(choice)}
          </option>
        ))}
      </select>
    )
  const change = ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(currentTarget.value)
  return kind === 'number' ? (
    <input id={id} type="number" step="any" value={value} onInput={change} />
  ) : (
    <input id={id} type="text" value={value} onInput={change} />
  )
}
