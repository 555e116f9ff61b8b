import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { datedDecisions } from "#test/tidy/documents/rules/datedDecisions.ts";
import { glossary } from "#test/tidy/documents/rules/glossary.ts";
import { insideTheClone } from "#test/tidy/documents/rules/insideTheClone.ts";
import { links } from "#test/tidy/documents/rules/links.ts";
import { namedFiles } from "#test/tidy/documents/rules/namedFiles.ts";
import { namedFolders } from "#test/tidy/documents/rules/namedFolders.ts";
import { namedPlugins } from "#test/tidy/documents/rules/namedPlugins.ts";
import { requirements } from "#test/tidy/documents/rules/requirements.ts";

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
