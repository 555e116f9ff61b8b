import { eachFile } from "#test/tidy/eachFile.ts";
import { isTestFile } from "#test/tidy/isTestFile.ts";
import type { Rule } from "#test/tidy/Rule.ts";

/** Who may import whom: what is below never imports what is above. */
export const importDirections: Rule = {
	name: "import-directions",
	why: "one direction of dependency: what is below can be read, tested and replaced alone",
	check: eachFile(({ path, imports }) =>
		imports.flatMap(({ target, line }) => {
			const reason = target === undefined ? undefined : refusal(path, target);
			return reason ? [{ line, message: `imports ${target}: ${reason}` }] : [];
		}),
	),
	bad: [
		[importing("core/a.ts", "#plugins/trading/contract.ts")],
		[importing("core/a.ts", "#agent/contract.ts")],
		[importing("core/a.ts", "../api/app.ts")],
		[importing("core/a.ts", "#test/harness/x.ts")],
		[importing("plugins/a/x.ts", "#plugins/b/internal.ts")],
		[importing("plugins/a/x.ts", "../b/plugin.ts")],
		[importing("plugins/a/x.ts", "#agent/grammar.ts")],
		[importing("plugins/a/x.ts", "#api/app.ts")],
		[importing("plugins/a/x.test.ts", "#plugins/b/internal.ts")],
		[importing("agent/x.ts", "#plugins/a/contract.ts")],
		[importing("api/x.ts", "#plugins/a/contract.ts")],
		[importing("api/cli/up.ts", "#test/sandbox/world.ts")],
		[importing("plugins/terminal/web/x.tsx", "#core/money/parseAmount.ts")],
		[importing("plugins/terminal/web/x.tsx", "#plugins/terminal/plugin.ts")],
		[{ path: "core/a.ts", text: 'const a = await import("#plugins/b/plugin.ts");' }],
		[{ path: "core/a.ts", text: 'export { b } from "#plugins/b/contract.ts";' }],
		[{ path: "core/a.ts", text: 'import type {\n\tB,\n} from "#plugins/b/contract.ts";' }],
		[{ path: "core/a.ts", text: 'import "#api/app.ts";' }],
	],
	good: [
		[importing("core/a.ts", "#core/b.ts")],
		[importing("core/a.ts", "zod")],
		[importing("core/a.test.ts", "#test/harness/x.ts")],
		[importing("core/limiter/limiterCases.ts", "#test/harness/x.ts")],
		[importing("plugins/a/x.ts", "#core/a.ts")],
		[importing("plugins/a/x.ts", "#plugins/a/deep/y.ts")],
		[importing("plugins/a/x.ts", "#plugins/b/contract.ts")],
		[importing("plugins/a/x.ts", "#agent/contract.ts")],
		[importing("agent/x.ts", "#core/a.ts")],
		[importing("api/x.ts", "#plugins/a/plugin.ts")],
		[importing("test/e2e/x.ts", "#plugins/a/internal.ts")],
		[importing("plugins/terminal/web/x.tsx", "#plugins/streams/contract.ts")],
		[importing("plugins/terminal/web/x.tsx", "./chart.tsx")],
		[{ path: "core/a.ts", text: '// import "#api/app.ts";\nconst a = `import "#api/app.ts"`;' }],
	],
};

/** Pages that run in a browser. */
const WEB = /^plugins\/[^/]+\/web\//;

function refusal(from: string, to: string): string | undefined {
	if (from.startsWith("test/")) return undefined;
	if (to.startsWith("test/")) {
		return isTestFile(from) ? undefined : "nothing but a test imports test";
	}
	const web = WEB.exec(from)?.[0];
	if (web !== undefined) {
		return to.startsWith(web) || isContract(to)
			? undefined
			: "the pages are a browser bundle and see only contracts and themselves";
	}
	const [area, plugin] = from.split("/");
	if (area === to.split("/")[0] && area !== "plugins") return undefined;
	if (area === "core") return "core imports only core";
	if (to.startsWith("core/")) return undefined;
	if (area === "agent") return "the agent imports only core; tools reach it through the loader";
	if (area === "api") {
		return to.startsWith("agent/") || /^plugins\/[^/]+\/plugin\.ts$/.test(to)
			? undefined
			: "api sees of a plugin only its plugin.ts";
	}
	if (area === "plugins") {
		return to.startsWith(`plugins/${plugin}/`) || isContract(to)
			? undefined
			: "a plugin is seen from outside only through its contract.ts";
	}
	return undefined;
}

function isContract(path: string): boolean {
	return /^(agent|plugins\/[^/]+)\/contract\.ts$/.test(path);
}

function importing(path: string, specifier: string) {
	return { path, text: `import { something } from "${specifier}";\n` };
}
