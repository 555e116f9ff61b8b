/**
 * The result of reading a row: the row, `elsewhere` for one on an unknown kind of chain, or
 * `unreadable`. Only the last is counted and logged.
 */
export type Reading<Row extends object> = Row | "elsewhere" | "unreadable";
