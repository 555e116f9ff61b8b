import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";
import { linesOf } from "#test/tidy/documents/linesOf.ts";

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
