import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { parseConfig } from "#core/config/parseConfig.ts";
import { defineFaults } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import type { Core } from "#core/plugin/Core.ts";
import { bootTree, createHost, orderPlugins } from "#core/plugin/createHost.ts";
import {
	type AnyPlugin,
	ChainPoint,
	type Collected,
	contribute,
	extensionPoint,
	type Parts,
	serviceKey,
} from "#core/plugin/Plugin.ts";
import type { AnyTool, Command } from "#core/plugin/Tool.ts";

describe("bootTree", () => {
	test("the boot tree lists each plugin with its time and its needs, in start order", () => {
		const tree = bootTree([
			{ plugin: "chain-scanner", needs: [], setupMs: 1.4, startMs: 2 },
			{ plugin: "market", needs: ["scanner", "prices"], setupMs: 0, startMs: 12 },
		]);
		expect(tree).toBe("├─ chain-scanner  3 ms\n└─ market         12 ms  on scanner, prices");
		expect(bootTree([])).toBe("");
	});
});

describe("createHost", () => {
	const said: [string, unknown][] = [];
	const log = {
		...silentLog,
		error: (text: string, context?: unknown) => said.push([text, context]),
	};
	// Only what a host itself uses of the runtime.
	const core = { clock: { nowMs: () => 0 }, log: { ...log, with: () => log } } as unknown as Core;

	function plugin(name: string, parts: Parts<unknown>, rest: Partial<AnyPlugin> = {}): AnyPlugin {
		return { name, version: "1", config: z.object({}), needs: {}, setup: () => parts, ...rest };
	}

	function host(
		plugins: AnyPlugin[],
		limits: { startTimeoutMs?: number; stopTimeoutMs?: number } = {},
	) {
		said.length = 0;
		const sections = plugins.map(({ name, config }) => ({ owner: name, schema: config }));
		return createHost({
			plugins,
			config: parseConfig(sections, {}),
			core,
			healthTimeoutMs: 20,
			...limits,
		});
	}

	/** A plugin that writes down what happens to it. */
	function witness(name: string, events: string[], parts: Parts<unknown> = {}): AnyPlugin {
		return plugin(name, {
			start(signal) {
				events.push(`${name} starts`);
				signal.addEventListener("abort", () => events.push(`${name} is told`));
			},
			stop: () => void events.push(`${name} stops`),
			...parts,
		});
	}

	const hangs = () => new Promise<never>(() => {});
	const failure = (
		promise: Promise<unknown>,
	): Promise<{ code?: string; publicDetail?: string; retry?: string }> =>
		promise.then(
			() => ({}),
			(error) => error,
		);

	describe("setup", () => {
		test("each plugin gets what it needs, its configuration and the contributions to its points", async () => {
			const point = extensionPoint<string>("words");
			const key = serviceKey<string>()("greeting");
			let got: unknown;
			await host([
				plugin("a", { service: "hello" }, { offers: key, contributes: [contribute(point, "x")] }),
				plugin(
					"b",
					{},
					{
						needs: { greeting: key },
						config: z.object({ WORD: z.string().default("w").describe("A word.") }),
						contributes: [contribute(point, "y")],
						setup({ needs, config, contributions }) {
							got = { needs, config, words: contributions(point) };
							return {};
						},
					},
				),
			]);
			expect(got).toEqual({
				needs: { greeting: "hello" },
				config: { WORD: "w" },
				words: ["x", "y"],
			});
		});

		test("a setup that fails, hangs or does not return the offered service fails with the plugin's name", async () => {
			const broken = plugin("broken", {}, { setup: () => Promise.reject(new Error("no disk")) });
			expect((await failure(host([broken]))).publicDetail).toBe(
				'The plugin "broken" was not set up: Error: no disk',
			);
			const slow = plugin("slow", {}, { setup: hangs });
			expect((await failure(host([slow], { startTimeoutMs: 5 }))).publicDetail).toBe(
				'The plugin "slow" was not set up: its setup took longer than 5 ms',
			);
			const empty = plugin("empty", {}, { offers: serviceKey<string>()("word") });
			expect((await failure(host([empty]))).publicDetail).toContain('it offers "word"');
		});

		test("two jobs or two tasks of one name are refused", async () => {
			const run = async () => {};
			const job = {
				name: "a.tick",
				schedule: { everyMs: 1 },
				lock: "process",
				timeoutMs: 1,
				run,
			} as const;
			const task = {
				name: "a.do",
				payload: z.any(),
				priority: 0,
				attemptsMax: 1,
				timeoutMs: 1,
				run,
			};
			const parts = { jobs: [job], tasks: [task] };
			expect((await failure(host([plugin("a", parts), plugin("b", parts)]))).publicDetail).toBe(
				'Plugins: "a" and "b" both have the job "a.tick"; "a" and "b" both have the task "a.do".',
			);
		});
	});

	describe("tools and commands collected from plugins", () => {
		const tool = (name: string) => ({ name }) as AnyTool;
		const command = (name: string) => ({ name }) as Command;

		test("tools and commands of all plugins are available after all setups, and not before", async () => {
			let early: unknown;
			let ask: (() => Collected) | undefined;
			const asking = plugin(
				"a",
				{ tools: [tool("read_a")] },
				{
					setup({ collected }) {
						ask = collected;
						try {
							collected();
						} catch (error) {
							early = error;
						}
						return { tools: [tool("read_a")] };
					},
				},
			);
			const callerOf = async () => "profile-1";
			const later = plugin("b", { tools: [tool("read_b")], commands: [command("b")], callerOf });
			await host([asking, later]);
			expect(early).toBeInstanceOf(Error);
			const found = ask?.();
			expect(found?.tools.map(({ name }) => name)).toEqual(["read_a", "read_b"]);
			expect(found?.commands.map(({ name }) => name)).toEqual(["b"]);
			expect(await found?.callerOf(new Request("http://localhost/"))).toBe("profile-1");
		});

		test("a request has no caller if no plugin recognises it", async () => {
			let ask: (() => Collected) | undefined;
			await host([
				plugin(
					"a",
					{},
					{
						setup({ collected }) {
							ask = collected;
							return {};
						},
					},
				),
			]);
			expect(await ask?.().callerOf(new Request("http://localhost/"))).toBeNull();
		});

		test("two tools or two commands of one name are refused with both owners' names", async () => {
			const parts = { tools: [tool("read_x")], commands: [command("x")] };
			expect((await failure(host([plugin("a", parts), plugin("b", parts)]))).publicDetail).toBe(
				'Plugins: "a" and "b" both have the tool "read_x"; "a" and "b" both have the command "x".',
			);
		});
	});

	describe("start and stop", () => {
		test("plugins start in order and stop in reverse, each when its turn comes", async () => {
			const events: string[] = [];
			const { start, stop } = await host([witness("a", events), witness("b", events)]);
			await start();
			await Promise.all([stop(), stop()]);
			expect(events).toEqual([
				"a starts",
				"b starts",
				"b is told",
				"b stops",
				"a is told",
				"a stops",
			]);
		});

		test("a start that fails stops the started plugins in reverse, and the later ones never start", async () => {
			const events: string[] = [];
			const { start } = await host([
				witness("a", events),
				witness("b", events),
				witness("c", events, { start: () => Promise.reject(new Error("port taken")) }),
				witness("d", events),
			]);
			const failed = await failure(start());
			expect(failed.publicDetail).toBe('The plugin "c" did not start: Error: port taken');
			expect(failed.retry).toBe("never");
			expect(events.filter((event) => event.endsWith("stops"))).toEqual([
				"c stops",
				"b stops",
				"a stops",
			]);
			expect(events).not.toContain("d starts");
		});

		test("a start that throws synchronously fails like one that rejects", async () => {
			const { start } = await host([
				plugin("a", {
					start() {
						throw new Error("at once");
					},
				}),
			]);
			expect((await failure(start())).publicDetail).toContain('"a" did not start: Error: at once');
		});

		test("a start that hangs fails after a time limit, with the plugin's name", async () => {
			const events: string[] = [];
			const plugins = [witness("a", events), plugin("slow", { start: hangs })];
			const { start } = await host(plugins, { startTimeoutMs: 5 });
			expect((await failure(start())).publicDetail).toBe(
				'The plugin "slow" did not start: its start took longer than 5 ms',
			);
			expect(events.at(-1)).toBe("a stops");
		});

		test("a fault keeps its own advice to try again later", async () => {
			const fault = defineFaults({ away: { status: 503, retry: "later", public: "Away." } });
			const { start } = await host([plugin("a", { start: () => Promise.reject(fault.away()) })]);
			expect(await failure(start())).toMatchObject({ retry: "later" });
		});

		test("a plugin that does not stop is named, and the others are still stopped", async () => {
			const events: string[] = [];
			const plugins = [
				witness("a", events),
				plugin("stuck", { stop: hangs }),
				plugin("angry", { stop: () => Promise.reject(new Error("no")) }),
			];
			const { start, stop } = await host(plugins, { stopTimeoutMs: 5 });
			await start();
			await stop();
			expect(events.at(-1)).toBe("a stops");
			expect(said.map(([, context]) => (context as { plugin: string }).plugin)).toEqual([
				"angry",
				"stuck",
			]);
		});

		test("a host that is stopped while it starts does not start further plugins", async () => {
			const events: string[] = [];
			let go = () => {};
			const slow = new Promise<void>((done) => {
				go = done;
			});
			const { start, stop } = await host([
				plugin("slow", { start: () => slow }),
				witness("b", events),
			]);
			const started = start();
			const stopped = stop();
			go();
			await Promise.all([started, stopped]);
			expect(events).toEqual([]);
		});
	});

	test("health has each plugin's answer; a check that fails, throws or hangs counts as unknown", async () => {
		const { health } = await host([
			plugin("well", { health: async () => null }),
			plugin("silent", {}),
			plugin("ill", { health: async () => "no blocks" }),
			plugin("failing", { health: () => Promise.reject(new Error("x")) }),
			plugin("throwing", {
				health() {
					throw new Error("x");
				},
			}),
			plugin("hanging", { health: hangs }),
		]);
		const unknown = "its health cannot be told";
		expect(Object.fromEntries(await health())).toEqual({
			well: null,
			silent: null,
			ill: "no blocks",
			failing: unknown,
			throwing: unknown,
			hanging: unknown,
		});
	});

	test("degradations are listed by plugin, and a plugin whose check fails is listed for that", async () => {
		const stuck = { code: "stuck", count: 2, oldestAgeSeconds: 5, action: "Look." };
		const { degraded } = await host([
			plugin("a", { degraded: async () => [stuck] }),
			plugin("b", {}),
			plugin("c", { degraded: hangs }),
			plugin("d", { degraded: () => Promise.reject(new Error("c4n4ry")) }),
		]);
		const found = await degraded();
		expect(found.map(({ component, code }) => [component, code])).toEqual([
			["a", "stuck"],
			["c", "watch_failed"],
			["d", "watch_failed"],
		]);
		expect(JSON.stringify(found)).not.toContain("c4n4ry");
	});
});

describe("orderPlugins", () => {
	function plugin(name: string, needs: string[] = [], rest: Partial<AnyPlugin> = {}): AnyPlugin {
		return {
			name,
			version: "1",
			config: z.object({}),
			needs: Object.fromEntries(needs.map((id) => [id, serviceKey<unknown>()(id)])),
			offers: serviceKey<unknown>()(name),
			setup: () => ({}),
			...rest,
		};
	}

	const order = (...plugins: AnyPlugin[]) => orderPlugins(plugins).map(({ name }) => name);
	function problems(...plugins: AnyPlugin[]): string {
		try {
			orderPlugins(plugins);
		} catch (error) {
			return (error as { publicDetail: string }).publicDetail;
		}
		return "none";
	}

	describe("order", () => {
		test("each plugin comes after those it needs, and otherwise in the given order", () => {
			expect(order(plugin("c", ["a", "b"]), plugin("d"), plugin("b", ["a"]), plugin("a"))).toEqual([
				"a",
				"b",
				"c",
				"d",
			]);
			expect(order(plugin("z"), plugin("a"), plugin("m"))).toEqual(["z", "a", "m"]);
			expect(order()).toEqual([]);
		});

		test("any list without cycles is ordered such that no plugin comes before one that it needs", () => {
			const lists = fc
				.integer({ min: 1, max: 12 })
				.chain((count) =>
					fc.tuple(
						fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 30 }),
						fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
					),
				);
			fc.assert(
				fc.property(lists, ([pairs, shuffled]) => {
					const plugins = shuffled.map((self) => {
						// Only on smaller numbers: no circles.
						const needs = pairs
							.filter(([from, to]) => from === self && to < self)
							.map(([, to]) => `p${to}`);
						return plugin(`p${self}`, [...new Set(needs)]);
					});
					const names = orderPlugins(plugins).map(({ name }) => name);
					expect(names.toSorted()).toEqual(plugins.map(({ name }) => name).toSorted());
					for (const { name, needs } of plugins) {
						for (const id of Object.keys(needs)) {
							expect(names.indexOf(id)).toBeLessThan(names.indexOf(name));
						}
					}
				}),
			);
		});
	});

	describe("refusals", () => {
		test("all problems of the plugins are reported together", () => {
			const venue = extensionPoint<string>("venue");
			const text = problems(
				plugin("a", ["ghost"]),
				plugin("a", [], { offers: serviceKey<unknown>()("other") }),
				plugin("b", [], { offers: serviceKey<unknown>()("a") }),
				plugin("c", [], { contributes: [{ pointId: venue.id, value: "x" }] }),
				plugin("d", [], { tables: { schema: "shop", folder: "" } }),
				plugin("e", [], { tables: { schema: "shop", folder: "" } }),
				plugin("f", [], { tables: { schema: "core", folder: "" } }),
			);
			expect(text).toContain('two plugins are called "a"');
			expect(text).toContain('"a" and "b" both offer "a"');
			expect(text).toContain('"a" needs "ghost", which nobody offers');
			expect(text).toContain('"c" contributes to "venue", which nobody opens');
			expect(text).toContain('"d" and "e" both claim the schema "shop"');
			expect(text).toContain('the runtime and "f" both claim the schema "core"');
		});

		test("the error for a cycle lists the plugins in it, also for a plugin that needs itself", () => {
			const circle = problems(plugin("a", ["b"]), plugin("b", ["c"]), plugin("c", ["b"]));
			expect(circle).toContain("a circle of needs: b → c → b");
			expect(problems(plugin("a", ["a"]))).toContain("a circle of needs: a → a");
		});

		test("two plugins that declare one command are refused", () => {
			const cli = [{ name: "decode", usage: "", summary: "", run: async () => 0 }];
			expect(problems(plugin("a", [], { cli }), plugin("b", [], { cli }))).toContain(
				'"a" and "b" both claim the command "decode"',
			);
		});

		test("a point may receive contributions if a plugin opens it; the runtime opens that of chains", () => {
			const venue = extensionPoint<string>("venue");
			const contributes = [
				{ pointId: venue.id, value: "x" },
				{ pointId: ChainPoint.id, value: "y" },
			];
			expect(problems(plugin("a", [], { contributes }), plugin("b", [], { opens: [venue] }))).toBe(
				"none",
			);
		});
	});
});
