/** A file of the project as rules for documents see it: its path from the root, its text. */
export type TextFile = { path: string; text: string };
