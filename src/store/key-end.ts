/** Ends a range of keys: sorts after every name, id and place, as strings sort after numbers. */
export const END = '\uffff'
