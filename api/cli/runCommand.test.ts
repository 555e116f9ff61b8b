import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "#api/cli/runCommand.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { Fault } from "#core/fault.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "tapeline-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function svc(args: string[], env: Environment = {}) {
	const out: string[] = [];
	const notes: string[] = [];
	const code = await runCommand(args, {
		env,
		out: (line) => void out.push(line),
		note: (line) => void notes.push(line),
	});
	return { code, out: out.join("\n"), notes };
}

async function fault(args: string[], env: Environment = {}): Promise<Fault> {
	const failed = await svc(args, env).catch((error) => error);
	expect(failed).toBeInstanceOf(Fault);
	return failed as Fault;
}

describe("svc config", () => {
	test("print shows every value in effect and masks secrets [SEC-07]", async () => {
		const { code, out } = await svc(["config", "print"], {
			PORT: "4100",
			DATABASE_URL: "postgresql://me:c4n4ry@db.internal/tapeline",
			REDIS_URL: "redis://:c4n4ry@cache.internal",
			CHAINS: "base,ethereum",
			CHAIN_RPC_URLS_JSON: JSON.stringify({
				base: ["https://user:c4n4ry@rpc.example.com/v2/c4n4ryc4n4ryc4n4ry?key=c4n4ry"],
			}),
		});
		expect(code).toBe(0);
		expect(out).not.toContain("c4n4ry");
		expect(out).toContain("PORT=4100");
		expect(out).toContain("CHAINS=base,ethereum");
		expect(out).toContain("DATABASE_URL=***");
		expect(out).toContain("rpc.example.com");
	});

	test("print notes a variable that looks like a misspelling of a known one", async () => {
		const { notes } = await svc(["config", "print"], { TRUSTED_PROXY_HOP: "1" });
		expect(notes.join("\n")).toContain("TRUSTED_PROXY_HOPS");
	});

	test("a bad configuration lists all problems, of the runtime and of plugins", async () => {
		const failed = await fault(["config", "print"], {
			PORT: "70000",
			ROLE: "boss",
			CHAIN_RPC_URLS_JSON: "{",
			NFT_SCAN_FROM_BLOCK: "-1",
		});
		expect(failed).toMatchObject({ code: "config_invalid", retry: "never" });
		for (const name of ["PORT", "ROLE", "CHAIN_RPC_URLS_JSON", "NFT_SCAN_FROM_BLOCK"]) {
			expect(failed.privateDetail).toContain(name);
		}
	});

	test(".env.example equals the output of `svc config example`: every variable of every section", async () => {
		const { out } = await svc(["config", "example"]);
		const file = readFileSync(join(import.meta.dir, "../../.env.example"), "utf8");
		expect(file).toBe(`${out}\n`);
	});

	test("an unknown word after config is refused, with the known ones listed", async () => {
		const failed = await fault(["config", "show"]);
		expect(failed.publicDetail).toContain("`print` or `example`");
	});

	test("an argument after print or example is refused", async () => {
		for (const what of ["print", "example"]) {
			const failed = await fault(["config", what, "--foo"]);
			expect(failed.publicDetail).toContain('"--foo" is not an argument');
			expect(failed.publicDetail).toContain(`bun run svc config ${what}`);
		}
	});
});

describe("svc", () => {
	test("help, and no argument, list the runtime's and the plugins' commands", async () => {
		for (const args of [[], ["help"], ["--help"], ["-h"]]) {
			const { code, out } = await svc(args);
			expect(code).toBe(0);
			for (const command of ["migrate", "config print", "decode <file.json>"]) {
				expect(out).toContain(command);
			}
		}
	});

	test("--help after a command explains it and does nothing else", async () => {
		// No database is there to be brought up to date, and no file to be read.
		const env = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };
		for (const name of [
			"migrate",
			"config",
			"decode",
			"backfill",
			"gaps",
			"conformance",
			"rewind",
		]) {
			const { code, out } = await svc([name, "--help"], env);
			expect({ name, code }).toEqual({ name, code: 0 });
			expect(out).toStartWith(`bun run svc ${name}`);
		}
		expect((await fault(["migrate", "now"], env)).publicDetail).toContain('"now"');
	});

	test("rewind asks for --yes before it opens anything", async () => {
		// Nobody answers there: whoever opens it first fails with other words.
		const env = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none", CHAINS: "anvil" };
		const failed = await fault(["rewind", "--chain", "anvil", "--to", "7"], env);
		expect(failed.publicDetail).toContain("everything above block 7 of anvil");
		expect(failed.publicDetail).toContain("add --yes");
	});

	test("a negative block, and any other invalid text, is refused with our own message", async () => {
		for (const to of ["-1", "-1_000", "1.5", "head"]) {
			const failed = await fault(["rewind", "--chain", "anvil", "--to", to, "--yes"]);
			expect(failed.publicDetail).toBe(`--to is "${to}": it takes a block's number.`);
		}
		expect((await fault(["rewind", "--chain", "anvil", "-1"])).publicDetail).toContain("rewind");
	});

	test("[SEC-06] audit needs only a database: CHAINS is not required", async () => {
		const database = await createTestDatabase();
		try {
			const audit = createAudit({ clock: { nowMs: () => 0 } });
			await database.db.transaction((tx) =>
				audit.append(tx, { actor: "operator:ann", action: "a.b", subject: "c", detail: {} }),
			);
			const env = { DATABASE_URL: database.connectionString };
			const { code, out, notes } = await svc(["audit", "verify"], env);
			expect({ code, kind: JSON.parse(out).kind }).toEqual({ code: 0, kind: "whole" });
			// Nothing but its own word: what brought the database up to date is no part of it.
			expect(notes).toEqual([
				expect.stringMatching(
					/^in PostgreSQL at DATABASE_URL: database "test_\w+" on \S+, port \d+$/,
				),
				expect.stringContaining("whole: 1 entries"),
			]);
		} finally {
			await database.drop();
		}
	});

	test("audit refuses a database without an audit log, names it, and creates no table in it", async () => {
		const database = await createTestDatabase();
		const { db } = database;
		const schemas = async () =>
			(await db.query<{ n: string }>("select nspname as n from pg_namespace")).map(({ n }) => n);
		try {
			await db.execute("drop schema core cascade");
			const before = await schemas();
			for (const what of ["verify", "head"]) {
				const refused = await fault(["audit", what], { DATABASE_URL: database.connectionString });
				expect(refused).toMatchObject({ code: "no_entries", retry: "never" });
				expect(refused.publicDetail).toContain('database "test_');
			}
			expect(await schemas()).toEqual(before);
		} finally {
			await database.drop();
		}
	});

	test("`audit verify` creates no database; its error names the sandbox's data folder instead", async () => {
		const dataDir = join(folder, "nobody");
		const world = join(dataDir, "sandbox/world-1");
		await Bun.write(join(world, "postgres/location"), ".");
		const refused = await fault(["audit", "verify"], { DATA_DIR: dataDir });
		expect(refused).toMatchObject({ code: "no_entries", retry: "never" });
		expect(refused.publicDetail).toContain(dataDir);
		expect(refused.publicDetail).toContain(`DATA_DIR=${world}`);
		expect(existsSync(join(dataDir, "postgres"))).toBe(false);
	});

	test("an unknown command is a fault that prints the help", async () => {
		const failed = await fault(["lauch"]);
		expect(failed.publicDetail).toContain('"lauch" is not a command');
		expect(failed.publicDetail).toContain("config print");
	});

	test("a third party's plugin adds its command, which gets the plugins' contributions", async () => {
		const file = join(folder, "greet.ts");
		writeFileSync(
			file,
			`import { z } from "${join(import.meta.dir, "../../node_modules/zod/index.js")}";
			export const greetPlugin = {
				name: "greet", version: "1", needs: {}, setup: () => ({}),
				config: z.object({ GREETING: z.string().default("hello").describe("A word.") }),
				contributes: [{ pointId: "greet.word", value: "world" }], opens: [{ id: "greet.word" }],
				cli: [{
					name: "greet", usage: "greet <who>", summary: "greets",
					async run([who], { out, contributions }) {
						out(who + " " + contributions({ id: "greet.word" }).join());
						return 3;
					},
				}],
			};`,
		);
		expect(await svc(["greet", "hello"], { PLUGINS: file })).toMatchObject({
			code: 3,
			out: "hello world",
		});
		expect((await svc(["config", "print"], { PLUGINS: file })).out).toContain("GREETING=hello");
	});
});
