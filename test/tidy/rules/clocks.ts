import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eachFile, isTestFile, type Rule } from "#test/tidy/Rule.ts";

/** A statement that deletes, up to the end of its text. */
const DELETES = /\bdelete\s+from\b[^`"]*/gi;

/** A column of a table that holds a time, where a migration declares it. */
const TIME_COLUMN = /^\s*(?:add column(?: if not exists)? )?(\w+) (?:timestamptz?|date)\b/gim;

const ROOT = join(import.meta.dir, "../../..");
const COLUMN = ["\\w+_at", "\\w+_until", ...timeColumns()].join("|");

/** A column that holds a time, compared with a parameter, from either side. */
const BY_PARAMETER = new RegExp(
	`\\b(?:${COLUMN})\\s*\\)?\\s*[<>]=?\\s*\\(*\\$\\d|\\$\\d+(?:::\\w+)?\\s*[<>]=?\\s*(?:\\w+\\.)?(?:${COLUMN})\\b`,
	"i",
);

/** Returns the names of all columns that hold a time: any of them may decide what is deleted. */
function timeColumns(): string[] {
	const files = [...new Bun.Glob("{core,plugins,agent,api}/**/migrations/*.sql").scanSync(ROOT)];
	const texts = files.map((path) => readFileSync(join(ROOT, path), "utf8"));
	const names = texts.flatMap((text) => [...text.matchAll(TIME_COLUMN)].map(([, name]) => name));
	return [...new Set(names)].filter((name) => name !== undefined);
}

export const clocks: Rule = {
	name: "clocks",
	why: "one wrong clock must delete nothing: what deletes compares with the database's own time",
	check: eachFile(({ path, text }) =>
		isTestFile(path) || !/^(core|plugins|agent|api)\//.test(path)
			? []
			: [...text.matchAll(DELETES)].flatMap(({ 0: statement, index }) => {
					const found = BY_PARAMETER.exec(statement);
					if (!found) return [];
					const line = text.slice(0, index + found.index).split("\n").length;
					const instead = "compare with now() - $1 * interval '1 millisecond'";
					return [{ line, message: `a process's time decides what is deleted; ${instead}` }];
				}),
	),
	bad: [
		[{ path: "core/a.ts", text: 'db.execute("delete from a.b where at < $1", [before]);' }],
		[{ path: "plugins/a/x.ts", text: "`delete from a.b where expires_at <= $1 limit $2`" }],
		[{ path: "plugins/a/x.ts", text: "`delete from a.b\n\twhere coalesce(a_at, b_at) < $1`" }],
		[{ path: "plugins/a/x.ts", text: '"delete from trading.pool_price where minute < $1"' }],
		[{ path: "plugins/a/x.ts", text: "`delete from a.b as c where $2::timestamptz > c.day`" }],
		[
			{
				path: "plugins/a/x.ts",
				text: "`DELETE FROM a.b where c = 1 and bucket < $3::timestamptz`",
			},
		],
	],
	good: [
		[
			{
				path: "core/a.ts",
				text: "`delete from a where at < now() - $1 * interval '1 millisecond'`",
			},
		],
		[{ path: "core/a.ts", text: '"delete from a where chain_id = $1 and block < $2"' }],
		[{ path: "core/a.ts", text: '"select from a where at < $1"' }],
		[{ path: "core/a.test.ts", text: '"delete from a where at < $1"' }],
	],
};
