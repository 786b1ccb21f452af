/** Small fields above a list: a text that is looked for, and something that is on or off. */

interface SearchProps {
  /** The name of the search, for those who do not see the placeholder. */
  label: string
  placeholder: string
  value: string
  onText: (text: string) => void
}

export const SearchField = ({ label, placeholder, value, onText }: SearchProps) => (
  <label class="field">
    <span class="unseen">{label}</span>
    <input
      type="search"
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  </label>
)

interface CheckProps {
  text: string
  isOn: boolean
  isDisabled?: boolean
  onChange: (isOn: boolean) => void
}

export const Check = ({ text, isOn, isDisabled = false, onChange }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isOn}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {text}
  </label>
)

/** Leaves only what the selected step did. @param selected its name; undefined: none is selected */
export const OnlySelected = ({
  selected,
  isOn,
  onChange
}: Pick<CheckProps, 'isOn' | 'onChange'> & { selected: string | undefined }) => (
  <Check
    text={selected === undefined ? 'Only the selected step' : `Only ${selected}`}
    isOn={isOn}
    isDisabled={selected === undefined}
    onChange={onChange}
  />
)
