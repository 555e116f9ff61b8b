/** A JSON Schema as the documents hold it. Read with care: authors may write any keyword. */
export type JsonSchema = { [keyword: string]: unknown };
