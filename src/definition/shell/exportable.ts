/** Variables that a shell can receive and passes on unchanged. */

const IDENTIFIER = /^[A-Za-z_]\w*$/
/** Variables that a shell sets, checks or forbids to set. */
const ITS_OWN =
  /^(_|LINENO|OPTIND|PPID|E?UID|GROUPS|DIRSTACK|FUNCNAME|S?RANDOM|SECONDS|EPOCH\w+|SHELLOPTS|SHLVL|BASH\w*|HISTCMD)$/

// D755: the name of a secret must be exportable by a shell
/** Whether a shell can export a variable of this name. */
export const exportable = (name: string): boolean => IDENTIFIER.test(name) && !ITS_OWN.test(name)
