import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Fault } from "#core/fault.ts";
import type { CliContext, Needs, OpenedCore } from "#core/plugin/Plugin.ts";
import { gapsCommand, parseBackfill } from "#plugins/chain-scanner/operator/backfillCommand.ts";
import { insertGap, nextGap, setTopAside } from "#plugins/chain-scanner/sql/gap.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const all = ["--chain", "anvil", "--from", "10", "--to", "20"];
const refusal = (args: string[]): string => {
	try {
		parseBackfill(args);
	} catch (error) {
		return (error as Fault).publicDetail;
	}
	return "nothing was refused";
};

test("[ING-10] a range of blocks is accepted, for both lanes or a named one", () => {
	expect(parseBackfill(all)).toEqual({
		chain: "anvil",
		range: { from: 10, to: 20 },
		lanes: ["mint", "sale"],
	});
	expect(parseBackfill([...all, "--lane", "sale"]).lanes).toEqual(["sale"]);
	const grouped = ["--chain", "anvil", "--from=1_000", "--to=23,100,000"];
	expect(parseBackfill(grouped).range).toEqual({ from: 1_000, to: 23_100_000 });
});

const mistakes: [string[], string][] = [
	[["--chain", "anvil", "--from", "20", "--to", "10"], "--from 20 lies above --to 10"],
	[["--chain", "anvil", "--to", "10"], "--from is missing"],
	[["--chain", "anvil", "--from", "1"], "--to is missing"],
	[["--chain", "anvil", "--from", "1.5", "--to", "10"], '--from is "1.5"'],
	[["--chain", "anvil", "--from", "0x10", "--to", "99"], '--from is "0x10"'],
	[["--chain", "anvil", "--from", "1", "--to", "head"], '--to is "head"'],
	[["--chain", "anvil", "--from", "1", "--to", "9".repeat(16)], "--to is"],
	[[...all, "--lane", "transfer"], "it takes mint or sale"],
	[[...all, "--lanes", "mint"], "bun run svc backfill --chain <slug>"],
	[[...all, "mint"], "bun run svc backfill --chain <slug>"],
];
for (const [args, words] of mistakes) {
	test(`backfill ${args.join(" ")} is refused, with the reason`, () => {
		expect(refusal(args)).toContain(words);
	});
}

describe("svc gaps", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	async function gaps(...args: string[]) {
		const chains = createChainRegistry(builtinChains);
		const indexed = chains.all
			.filter(({ id }) => id === 1 || id === 8_453)
			.map((chain) => ({ chain }));
		const core = { db: database.db, chains, indexed };
		let closed = 0;
		const opened = { core, needs: {}, close: async () => void closed++ };
		const out: string[] = [];
		const notes: string[] = [];
		const context: CliContext = {
			env: {},
			contributions: () => [],
			out: (line) => void out.push(line),
			note: (line) => void notes.push(line),
			terminal: null,
			interrupted: () => new AbortController().signal,
			openCore: async <N extends Needs>() => opened as unknown as OpenedCore<N>,
		};
		const code = await gapsCommand.run(args, context);
		expect(closed).toBe(1);
		return { code, notes, rows: out.map((line) => JSON.parse(line)) };
	}

	test("what is owed is listed with why, and what was set aside is read again when asked", async () => {
		const { db } = database;
		for (const chainId of [1, 8_453]) {
			const gap = { chainId, lane: "mint", range: { from: 5, to: 5 } } as const;
			await db.transaction((tx) => insertGap(tx, { ...gap, reason: "restart_behind" }));
		}
		const next = (restMs: number) => nextGap(db, { chainId: 1, lane: "mint", restMs });
		const gap = await next(0);
		if (!gap) throw new Error("nothing is owed");
		const detail = "block 5 has two logs at 0";
		await db.transaction((tx) => setTopAside(tx, { ...gap, detail }, "contradicted"));
		expect(await next(600_000)).toBeNull();
		const listed = await gaps("--chain", "ethereum");
		expect(listed).toMatchObject({ code: 0, notes: [] });
		expect(listed.rows).toMatchObject([
			{ chain: "ethereum", lane: "mint", from: 5, to: 5, reason: "contradicted", detail },
		]);
		expect((await gaps()).rows).toHaveLength(2);
		expect(await next(600_000)).toBeNull();
		expect((await gaps("--retry")).notes[0]).toStartWith("1 spans that were set aside");
		expect(await next(600_000)).toMatchObject({ from: 5, to: 5 });
		await expect(gaps("--chain", "nowhere")).rejects.toMatchObject({ code: "command_invalid" });
	});
});
