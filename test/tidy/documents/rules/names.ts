import { type DocumentRule, linesOf, resolvePath } from "#test/tidy/documents/DocumentRule.ts";

/** A link to a file of the project; anchors are left to the reader's program. */
const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g;

export const links: DocumentRule = {
	name: "links",
	why: "a reader who follows a link arrives",
	check(files) {
		const isThere = resolvePath(files);
		return linesOf(files, /\.md$/).flatMap(({ path, line, text }) =>
			[...text.matchAll(LINK)].flatMap(([, target = ""]) =>
				isThere(target, path)
					? []
					: [{ path, line, message: `links to ${target}, which is not there: name what is` }],
			),
		);
	},
	bad: [[{ path: "README.md", text: "see [this](core/missing.md)" }]],
	good: [
		[
			{ path: "core/README.md", text: "[a](x.ts) [b](https://example.org/y) [c](x.ts#top)" },
			{ path: "core/x.ts", text: "" },
		],
	],
};

/** What newcomers read first. */
const ENTRY = /^(ARCHITECTURE|CONTRIBUTING)\.md$/;
/** A path between backticks: with a slash, of letters that paths have. */
const NAMED = /`((?:[\w.-]+\/)+[\w.-]*)`/g;

export const namedFiles: DocumentRule = {
	name: "named-files",
	why: "each stop of a walk-through and each answer to “where is” is a place that is there",
	check(files) {
		const isThere = resolvePath(files);
		return linesOf(files, ENTRY).flatMap(({ path, line, text }) =>
			[...text.matchAll(NAMED)].flatMap(([, target = ""]) =>
				isThere(target, path)
					? []
					: [{ path, line, message: `names ${target}, which is not there: name what is` }],
			),
		);
	},
	bad: [
		[{ path: "ARCHITECTURE.md", text: "| the gate | `core/http/gone.ts` |" }],
		[
			{ path: "CONTRIBUTING.md", text: "`http/gon.ts`" },
			{ path: "core/http/gone.ts", text: "" },
		],
	],
	good: [
		[
			{ path: "ARCHITECTURE.md", text: "`core/http/gate.ts`, `http/gate.ts`, `core/http/`, `x`" },
			{ path: "core/http/gate.ts", text: "" },
		],
	],
};

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

const PAGES = ["README.md", "ARCHITECTURE.md"];

export const namedPlugins: DocumentRule = {
	name: "named-plugins",
	why: "whoever looks for a capability finds its plugin on the first page",
	check(files) {
		const plugins = files.flatMap(
			({ path }) => /^plugins\/([^/]+)\/plugin\.ts$/.exec(path)?.[1] ?? [],
		);
		return files
			.filter(({ path }) => PAGES.includes(path))
			.flatMap(({ path, text }) =>
				plugins
					.filter((name) => !text.includes(`\`${name}\``))
					.map((name) => ({ path, message: `does not name the plugin \`${name}\`: add a row` })),
			);
	},
	bad: [
		[
			{ path: "README.md", text: "a market" },
			{ path: "plugins/prices/plugin.ts", text: "" },
		],
	],
	good: [
		[
			{ path: "README.md", text: "| `prices` | USD |" },
			{ path: "plugins/prices/plugin.ts", text: "" },
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
