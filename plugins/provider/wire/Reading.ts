/**
 * What became of a row: read, of a place nobody here knows (another kind of chain), or not fit to
 * be read. The first two are as they should be; the third is counted and logged.
 */
export type Reading<Row extends object> = Row | "elsewhere" | "unreadable";
