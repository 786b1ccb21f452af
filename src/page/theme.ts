/** Runs before anything is rendered: sets the theme without a flash of the other one, and reports files that cannot be loaded. */
import { sayWhatIsMissing } from './missing-file.ts'

sayWhatIsMissing()
const kept = localStorage.getItem('troupe.theme')
if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
