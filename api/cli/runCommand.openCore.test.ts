import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { openCore, wantsHelp } from "#api/cli/runCommand.ts";
import { Fault } from "#core/fault.ts";
import { type AnyPlugin, definePlugin, serviceKey } from "#core/plugin/Plugin.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("openCore", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const WordKey = serviceKey<{ word(): string }>()("word");

	/** A plugin that says whether it was started. */
	function wordPlugin(seen: string[]): AnyPlugin {
		return definePlugin({
			name: "word",
			version: "1",
			config: z.object({ WORD: z.string().default("hello").describe("A word.") }),
			needs: {},
			offers: WordKey,
			setup: ({ config }) => ({
				service: { word: () => config.WORD },
				start: () => void seen.push("started"),
			}),
		});
	}
	const envOf = (more: Record<string, string> = {}) => ({
		DATABASE_URL: database.connectionString,
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: ["http://127.0.0.1:1"] }),
		...more,
	});

	test("a command gets the services that it needs, on the configured storage, and no plugin starts", async () => {
		const seen: string[] = [];
		const env = envOf({ WORD: "good day" });
		const opened = await openCore(
			{ word: WordKey },
			{ env, plugins: [wordPlugin(seen)], note: (line) => void seen.push(line) },
		);
		expect(opened.needs.word.word()).toBe("good day");
		expect(await opened.core.db.query("select 1 as one")).toEqual([{ one: 1 }]);
		expect(opened.core.indexed.map(({ chain }) => chain.slug)).toEqual(["anvil"]);
		expect(opened.core.reached.map(({ chain }) => chain.slug)).toEqual(["anvil", "robinhood"]);
		await opened.close();
		expect(seen).toEqual([]);
		expect(await opened.core.db.query("select 1").catch(() => "closed")).toBe("closed");
	});

	test("a command is refused before anything is opened if no plugin offers its service", async () => {
		const failed = openCore({ word: WordKey }, { env: envOf(), plugins: [], note() {} });
		const error = await failed.catch((thrown) => thrown);
		expect(error).toBeInstanceOf(Fault);
		expect(error.publicDetail).toContain('"command" needs "word"');
	});

	test("leases that a command held are free after it ended", async () => {
		const open = () => openCore({}, { env: envOf(), plugins: [], note() {} });
		const first = await open();
		expect(await first.core.leases.hold("a piece of work")).not.toBeNull();
		const second = await open();
		expect(await second.core.leases.hold("a piece of work")).toBeNull();
		await first.close();
		expect(await second.core.leases.hold("a piece of work")).not.toBeNull();
		await second.close();
	});
});

describe("wantsHelp", () => {
	test("a command without arguments runs; with --help or -h it only prints its help", () => {
		expect(wantsHelp([], "help")).toBe(false);
		expect(wantsHelp(["--help"], "help")).toBe(true);
		expect(wantsHelp(["-h"], "help")).toBe(true);
	});

	test("an unknown argument is refused with the help, also beside --help, and nothing runs", () => {
		for (const args of [
			["--port", "5000"],
			["--help", "me"],
		]) {
			expect(() => wantsHelp(args, "bun run up")).toThrow(
				expect.objectContaining({
					code: "usage",
					publicDetail: expect.stringContaining("bun run up"),
				}),
			);
		}
	});
});
