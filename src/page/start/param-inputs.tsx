/** The inputs of the params of a run: a choice, a number, a yes or no, or a text. */
import { useId } from 'preact/hooks'
import type { Input, ParamField } from './param-fields.ts'

interface Props {
  fields: readonly ParamField[]
  input: Input
  isLocked: boolean
  onInput: (name: string, value: string) => void
}

export const ParamInputs = ({ fields, input, isLocked, onInput }: Props) => (
  <div class="param-fields">
    {fields.map((field) => (
      <ParamInput
        key={field.name}
        field={field}
        value={input[field.name] ?? field.start}
        isLocked={isLocked}
        onInput={(value) => onInput(field.name, value)}
      />
    ))}
  </div>
)

interface OneProps {
  field: ParamField
  value: string
  isLocked: boolean
  onInput: (value: string) => void
}

function ParamInput({ field, value, isLocked, onInput }: OneProps) {
  const { label, kind, hint, isRequired } = field
  const id = useId()
  const hintId = hint === '' ? undefined : `${id}-hint`
  const said = hintId && (
    <span class="hint soft" id={hintId}>
      {hint}
    </span>
  )
  if (kind === 'flag')
    return (
      <div>
        <label class="check">
          <input
            type="checkbox"
            aria-describedby={hintId}
            checked={value === 'true'}
            disabled={isLocked}
            onChange={({ currentTarget }) => onInput(String(currentTarget.checked))}
          />
          {label}
        </label>{' '}
        {said}
      </div>
    )
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && <span class="soft"> (required)</span>}
      </label>
      {kind === 'choice' ? (
        <select
          id={id}
          aria-describedby={hintId}
          value={value}
          disabled={isLocked}
          onChange={({ currentTarget }) => onInput(currentTarget.value)}
        >
          {(value === '' || !field.choices.includes(value)) && <option value={value}>{value}</option>}
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          aria-describedby={hintId}
          class="mono"
          {...(kind === 'number' ? { type: 'number', step: 'any' } : { type: 'text' })}
          value={value}
          disabled={isLocked}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
      {said}
    </div>
  )
}
