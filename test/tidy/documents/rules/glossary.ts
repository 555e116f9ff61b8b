import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { sectionOf } from "#test/tidy/documents/sectionOf.ts";

const PAGE = "ARCHITECTURE.md";

export const glossary: DocumentRule = {
	name: "glossary",
	why: "a term that nothing uses is one more word to learn for nothing",
	check(files) {
		const text = files.find(({ path }) => path === PAGE)?.text ?? "";
		const used = files
			.filter(({ path }) => path !== PAGE && /\.(ts|md)$/.test(path))
			.map((file) => file.text.toLowerCase());
		return sectionOf(text, "Glossary").flatMap(({ line, text: row }) => {
			const term = /^\| ([\w ]+?) +\|/.exec(row)?.[1];
			if (term === undefined || term === "our term") return [];
			const forms = [term, term.replace(/ (\w)/g, "$1"), term.replaceAll(" ", "_")];
			if (forms.some((form) => used.some((one) => one.includes(form)))) return [];
			return [{ path: PAGE, line, message: `no file uses the term "${term}": take it out` }];
		});
	},
	bad: [[{ path: PAGE, text: "## Glossary\n\n| heir | who inherits | successor |" }]],
	good: [
		[
			{ path: PAGE, text: "## Glossary\n\n| our term | x | y |\n| nonce queue | a | b |" },
			{ path: "core/a.ts", text: "/** The nonce queue of a wallet. */" },
		],
	],
};
