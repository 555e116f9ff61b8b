import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { insideTheClone } from "#test/tidy/documents/rules/insideTheClone.ts";
import { links, namedFiles, namedFolders, namedPlugins } from "#test/tidy/documents/rules/names.ts";
import { datedDecisions, glossary, requirements } from "#test/tidy/documents/rules/words.ts";

/** The rules for what people read; `tidy/rules.ts` has those for code. */
export const documentRules: readonly DocumentRule[] = [
	links,
	namedFiles,
	namedFolders,
	namedPlugins,
	glossary,
	requirements,
	datedDecisions,
	insideTheClone,
];
