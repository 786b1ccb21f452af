/** Which variables a shell can be given, and hands on as they are. */

const IDENTIFIER = /^[A-Za-z_]\w*$/
/** What a shell sets, checks or forbids to set by itself. */
const ITS_OWN =
  /^(_|LINENO|OPTIND|PPID|E?UID|GROUPS|DIRSTACK|FUNCNAME|S?RANDOM|SECONDS|EPOCH\w+|SHELLOPTS|SHLVL|BASH\w*|HISTCMD)$/

// D755
/** Whether a shell can export a variable of this name. */
export const exportable = (name: string): boolean => IDENTIFIER.test(name) && !ITS_OWN.test(name)
