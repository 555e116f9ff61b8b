/** A JSON Schema as in the documents. Its values must be checked: authors may write any keyword. */
export type JsonSchema = { [keyword: string]: unknown };
