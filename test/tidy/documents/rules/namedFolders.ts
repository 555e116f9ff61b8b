import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";

/** Folders that have the same name and meaning everywhere; ARCHITECTURE.md says which. */
const EVERYWHERE = new Set([
	"migrations",
	"sql",
	"routes",
	"schemas",
	"testing",
	"generated",
	"abi",
]);
/** Matches READMEs that must name every folder next to them. */
const OWNER = /^(core|test|plugins\/[^/]+)\/README\.md$/;

export const namedFolders: DocumentRule = {
	name: "named-folders",
	why: "the README of a part says what each of its folders is for",
	check(files) {
		return files
			.filter(({ path }) => OWNER.test(path))
			.flatMap(({ path, text }) => {
				const home = path.slice(0, -"README.md".length);
				const named = new Set(text.match(/`[\w./-]+`/g)?.map((one) => one.replace(/[`/]/g, "")));
				return foldersIn(home, files)
					.filter((folder) => !EVERYWHERE.has(folder) && !named.has(folder))
					.map((folder) => ({
						path,
						message: `does not say what ${home}${folder}/ is for: add a row`,
					}));
			});
	},
	bad: [
		[
			{ path: "core/README.md", text: "| `db` | database |" },
			{ path: "core/db/x.ts", text: "" },
			{ path: "core/lease/x.ts", text: "" },
		],
	],
	good: [
		[
			{ path: "core/README.md", text: "| `db/` | database |" },
			{ path: "core/db/x.ts", text: "" },
			{ path: "core/sql/x.ts", text: "" },
		],
	],
};

function foldersIn(home: string, files: Parameters<DocumentRule["check"]>[0]): string[] {
	const below = files.filter(({ path }) => path.startsWith(home));
	const first = below.flatMap(({ path }) => {
		const [folder, ...rest] = path.slice(home.length).split("/");
		return rest.length > 0 && folder !== undefined ? [folder] : [];
	});
	return [...new Set(first)];
}
