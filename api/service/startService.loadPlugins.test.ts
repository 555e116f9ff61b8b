import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { loadPlugins, pluginNames, readyReport, sectionsOf } from "#api/service/startService.ts";
import type { Fault } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Host } from "#core/plugin/createHost.ts";

describe("loadPlugins", () => {
	let folder: string;
	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "tapeline-plugins-"));
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	function module(name: string, text: string): string {
		const file = join(folder, name);
		writeFileSync(file, text);
		return file;
	}

	const names = async (modules: string[], disabled: string[] = []) =>
		(await loadPlugins(modules, disabled)).map(({ name }) => name);
	const refusal = (modules: string[], disabled: string[] = []): Promise<Fault> =>
		loadPlugins(modules, disabled).then(
			() => expect.unreachable(),
			(error) => error,
		);
	const builtin = builtinPlugins.map(({ name }) => name);

	test("all built-in plugins are loaded, except those that the operator leaves out", async () => {
		expect(await names([])).toEqual(builtin);
		const [first = ""] = builtin;
		expect(await names([], [first])).toEqual(builtin.slice(1));
	});

	test("a third party's module is loaded by its path, after the built-in plugins, from any export", async () => {
		const text = `export const anything = { name: "theirs", setup: () => ({}) }; export const other = 7;`;
		const file = module("theirs.ts", text);
		expect(await names([file])).toEqual([...builtin, "theirs"]);
		expect(await names([`./${relative(process.cwd(), file)}`])).toEqual([...builtin, "theirs"]);
	});

	test("the error for a module without a plugin names it", async () => {
		const exports = [
			"",
			"export const a = 1;",
			"export const b = { name: 'x' };",
			"export const c = null;",
		];
		for (const [index, text] of exports.entries()) {
			const file = module(`none${index}.ts`, text);
			const failed = await refusal([file]);
			expect(failed).toMatchObject({ code: "plugin_module", retry: "never" });
			expect(failed.publicDetail).toContain(`"${file}" exports no plugin`);
		}
	});

	test("a missing module, or one that fails while it loads, is refused with the reason", async () => {
		const missing = await refusal(["tapeline-plugin-that-is-not-there"]);
		expect(missing.publicDetail).toContain('"tapeline-plugin-that-is-not-there" does not load');
		const broken = await refusal([module("broken.ts", `throw new Error("its own trouble");`)]);
		expect(broken.publicDetail).toContain("its own trouble");
	});

	test("leaving out a plugin that is not built in is refused, with the known names", async () => {
		const failed = await refusal([], ["chain-scaner"]);
		expect(failed.publicDetail).toContain("chain-scaner");
		expect(failed.publicDetail).toContain(builtin.join(", "));
	});
});

describe("readyReport", () => {
	const stuck: Degradation = { code: "stuck", count: 1, oldestAgeSeconds: 2, action: "Look." };

	function report(
		query: () => Promise<unknown>,
		health: Record<string, string | null>,
		{ degraded = [] }: { degraded?: Degradation[] } = {},
	) {
		const core = { db: { query } } as unknown as Core;
		const host = {
			health: async () => new Map(Object.entries(health)),
			degraded: async () => degraded.map((one) => ({ component: "a", ...one })),
		} as unknown as Host;
		return readyReport(core, host, { degraded: async () => degraded }, { degraded: () => [] });
	}

	const answers = async () => [];

	test("a process is ready if its database answers and every plugin is healthy", async () => {
		expect(await report(answers, { a: null, b: null })).toEqual({
			ready: true,
			components: ["database", "a", "b"].map((name) => ({ name, ready: true })),
			degraded: [],
		});
	});

	test("a degraded part is listed with its reason, and the process stays ready", async () => {
		expect(await report(answers, { a: null }, { degraded: [stuck] })).toMatchObject({
			ready: true,
			degraded: [
				{ component: "core", ...stuck },
				{ component: "a", ...stuck },
			],
		});
	});

	test("a process without its database does not ask plugins what is degraded", async () => {
		const away = () => Promise.reject(new Error("away"));
		expect(await report(away, { a: null }, { degraded: [stuck] })).toEqual({
			ready: false,
			components: [
				{ name: "database", ready: false, detail: "does not answer" },
				{ name: "a", ready: true },
			],
			degraded: [],
		});
	});

	test("one unhealthy plugin makes the process not ready, with that plugin's reason", async () => {
		const { ready, components } = await report(answers, { a: null, b: "no blocks" });
		expect(ready).toBe(false);
		expect(components.at(-1)).toEqual({ name: "b", ready: false, detail: "no blocks" });
	});

	test("[SEC-07] a database that does not answer is reported without its address or its error", async () => {
		const away = () => Promise.reject(new Error("connect ECONNREFUSED postgres://me:c4n4ry@db"));
		const answer = await report(away, {});
		expect(answer.ready).toBe(false);
		expect(JSON.stringify(answer)).not.toContain("c4n4ry");
	});
});

describe("sectionsOf", () => {
	test("the list of plugins is read first, even if the rest is invalid", () => {
		expect(
			pluginNames({ PLUGINS: "./a.ts, b", PLUGINS_DISABLED: "streams", PORT: "none" }),
		).toEqual({
			loaded: ["./a.ts", "b"],
			disabled: ["streams"],
		});
		expect(pluginNames({})).toEqual({ loaded: [], disabled: [] });
	});

	test("the runtime's section comes first, then one of each plugin", () => {
		const { core, all } = sectionsOf(builtinPlugins);
		expect(all.map(({ owner }) => owner)).toEqual([
			"core",
			...builtinPlugins.map(({ name }) => name),
		]);
		expect(all[0]).toBe(core);
	});
});
