import {
	type DocumentRule,
	decisionsOf,
	holdsDecisions,
	linesOf,
	sectionOf,
} from "#test/tidy/documents/DocumentRule.ts";
import { DECISIONS_PAGE, listDecisions } from "#test/tidy/documents/listDecisions.ts";

const WRITE = "run `bun test/tidy/documents/listDecisions.ts --write`";

export const datedDecisions: DocumentRule = {
	name: "dated-decisions",
	why: "whoever doubts a decision sees when it was made, and finds all of them on one page",
	check(files) {
		const undated = files
			.filter(({ path }) => holdsDecisions(path))
			.flatMap(decisionsOf)
			.filter(({ date }) => date === undefined)
			.map(({ path, line, title }) => ({
				path,
				line,
				message: `the decision "${title}" has no date: write (YYYY-MM-DD) behind its bold words`,
			}));
		const page = files.find(({ path }) => path === DECISIONS_PAGE)?.text;
		if (undated.length > 0 || page === listDecisions(files)) return undated;
		return [{ path: DECISIONS_PAGE, message: `is not what the READMEs say: ${WRITE}` }];
	},
	bad: [
		[{ path: "core/README.md", text: "## Decisions\n\n**One driver.** Why." }],
		[{ path: "core/README.md", text: "## Decisions: more\n\n- **One\n  driver**, always." }],
		[{ path: "core/README.md", text: "## Decisions\n\n**One driver.** (2026-11-23) Why." }],
	],
	good: [
		dated("**One driver.** (2026-11-23) Why.\n\nMore **words** on it.\n\n## After\n\n**Bold.**"),
	],
};

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

const TABLE = "test/requirements.md";
const ROW = /^\| ([A-Z]{3}-\d\d) /;
/** Ids in a test's name: `[ING-07]`, `[ING-07, ING-08]`. */
const CITED = /\[((?:[A-Z]{3}-\d\d[, ]*)+)\]/g;

export const requirements: DocumentRule = {
	name: "requirements",
	why: "whoever reads an id in a test's name can read what it stands for",
	check(files) {
		const rows = new Map(
			linesOf(files, new RegExp(`^${TABLE}$`)).flatMap(({ text, line }) => {
				const id = ROW.exec(text)?.[1];
				return id === undefined ? [] : [[id, line] as const];
			}),
		);
		const cited = linesOf(files, /\.test\.ts$|Cases\.ts$/).flatMap(({ path, line, text }) =>
			[...text.matchAll(CITED)].flatMap(([, ids = ""]) =>
				ids.split(/[, ]+/).flatMap((id) => (id === "" ? [] : [{ path, line, id }])),
			),
		);
		const proven = new Set(cited.map(({ id }) => id));
		return [
			...cited
				.filter(({ id }) => !rows.has(id))
				.map(({ path, line, id }) => ({
					path,
					line,
					message: `${id} has no row in ${TABLE}: add it`,
				})),
			...[...rows]
				.filter(([id]) => !proven.has(id))
				.map(([id, line]) => ({
					path: TABLE,
					line,
					message: `no test carries ${id}: prove it or take it out`,
				})),
		];
	},
	bad: [
		[{ path: "core/a.test.ts", text: 'test("[ING-07] a free mint costs 0")' }],
		[{ path: TABLE, text: "| ING-07 | a price |" }],
	],
	good: [
		[
			{ path: TABLE, text: "| ING-07 | a price |\n| ING-08 | a range |" },
			{ path: "core/a.test.ts", text: 'test("[ING-07, ING-08] both")' },
		],
	],
};

function dated(text: string) {
	const files = [{ path: "core/README.md", text: `## Decisions\n\n${text}` }];
	return [...files, { path: DECISIONS_PAGE, text: listDecisions(files) }];
}
