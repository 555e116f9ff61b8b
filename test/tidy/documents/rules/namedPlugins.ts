import type { DocumentRule } from "#test/tidy/documents/DocumentRule.ts";

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
