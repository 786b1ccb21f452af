/** Runs before anything is drawn: the theme that the visitor has chosen, here or on the web page of the server. */
const kept = localStorage.getItem('troupe.theme')
if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
