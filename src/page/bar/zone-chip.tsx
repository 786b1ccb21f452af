/** Which time zone times are shown in, and the choice of another one. */
import { chooseZone, chosenZone, useZone, ZONE_NAMES, type ZoneName, zones } from '../zone.ts'

const WORDS: Record<ZoneName, string> = { browser: 'Browser', server: 'Server', utc: 'UTC', definition: 'Definition' }

export function ZoneChip() {
  const shown = useZone()
  const all = zones()
  const chosen = chosenZone()
  const text = (name: ZoneName) => (name === 'utc' ? WORDS.utc : `${WORDS[name]}: ${all[name] ?? shown}`)
  return (
    <label class="zone" title={`Times are shown in ${shown}`}>
      <span class="unseen">Time zone</span>
      <select
        value={chosen}
        onChange={({ currentTarget }) => chooseZone(currentTarget.value as ZoneName)} // one of the options
      >
        {ZONE_NAMES.filter((name) => name in all || name === chosen).map((name) => (
          <option key={name} value={name}>
            {text(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
