/** Runs before anything is drawn, so that nobody sees the wrong colours first. */
const kept = localStorage.getItem('troupe.theme')
if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
