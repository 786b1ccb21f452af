/** Runs before anything is drawn, so that nobody sees the wrong colours first, nor nothing at all when a file does not come. */
import { sayWhatIsMissing } from './missing-file.ts'

sayWhatIsMissing()
const kept = localStorage.getItem('troupe.theme')
if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
