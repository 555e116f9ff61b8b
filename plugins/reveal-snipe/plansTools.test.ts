import { beforeEach, expect, test } from "bun:test";
import type { Caller } from "#core/plugin/Tool.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { plansCommands, plansTools } from "#plugins/reveal-snipe/plansTools.ts";
import { revealTools } from "#plugins/reveal-snipe/revealTools.ts";
import { watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { type Buyer, ETHER } from "#test/harness/openBuyLab.ts";
import { type PlansLab, usePlans } from "#test/harness/plans.ts";

// Guarantee: the agent arms what its author typed; a plan proposed by a program or a model buys
// nothing before its owner resumes it.

const open = usePlans();
let plans: PlansLab;
let by: Buyer;
beforeEach(async () => {
	({ plans, by } = await open());
});

const wanted = { collection: "tidal-cats", maxRank: 200, maxPricePerItem: "0.4", budget: "2" };

const NEAR = {
	kind: "choose",
	question: 'Which "cats" do you mean?',
	slot: "collection",
	choices: [{ value: "tidal-cats", label: "Tidal Cats" }],
} as const;

async function found(find: MarketIndex["find"], text: string) {
	return { kind: "found", found: await find(text, undefined) } as const;
}

async function run(name: string, input: object = {}, key: string | null = null) {
	const { signal, context, lab } = plans;
	const { core, market } = context;
	const tools = [
		...plansTools({
			...{ plans: plans.plans, wallets: lab.wallets, ending: signal },
			market: { resolve: async (text) => (text === "cats" ? NEAR : found(market.find, text)) },
		}),
		...revealTools({
			core: { ...core, indexed: context.served.map((chain) => ({ chain }) as never) },
			index: market.reveals,
		}),
	];
	const tool = tools.find((one) => one.name === name);
	if (!tool) throw new Error("no such tool");
	const caller: Caller = { channel: "agent", profileId: by.profile.id, authority: "author" };
	const answer = await tool.run(tool.input.parse(input), { caller, idempotencyKey: key, signal });
	if (answer.kind !== "done") throw new Error(answer.question);
	const output = tool.output.parse(answer.output);
	return { output, line: tool.line(output) };
}

test("a plan is armed by its author's command, once per key, and shown in one line", async () => {
	const first = await run("arm_plan", wanted, "message-1");
	expect(first.output).toMatchObject({ status: "armed", budgetNative: 2, maxItems: 100 });
	expect(first.line).toBe("Plan for tidal-cats, rank 200 or better: armed.");
	expect((await run("arm_plan", wanted, "message-1")).output).toEqual(first.output);
	expect((await run("list_plans")).output.plans).toHaveLength(1);
	expect((await run("list_plans")).line).toBe(`Newest: ${first.line}`);
	expect((await run("read_plan", { id: first.output.id })).output).toEqual(first.output);
});

test("a name that only resembles a collection's is asked back, and arms nothing", async () => {
	await expect(run("arm_plan", { ...wanted, collection: "cats" })).rejects.toThrow(NEAR.question);
	await expect(run("prepare_plan", { ...wanted, collection: "cats" })).rejects.toThrow(
		NEAR.question,
	);
	expect((await run("list_plans")).output.plans).toEqual([]);
});

test("a prepared plan is stored paused, buys nothing at a reveal, and buys once its owner resumes it", async () => {
	const { tokenId } = await plans.sell({ ether: ETHER / 10n, rank: 1 });
	const { output, line } = await run("prepare_plan", wanted);
	expect(output).toMatchObject({ status: "paused", pauseReason: "confirmation_required" });
	expect(line).toContain("It waits for you to resume it.");
	await plans.covered();
	expect(plans.lab.sent).toEqual([]);
	expect((await run("resume_plan", { id: output.id })).output.status).toBe("armed");
	await plans.again();
	const { output: now, line: said } = await run("read_plan", { id: output.id });
	expect(now.fills).toMatchObject([{ tokenId, status: "submitted" }]);
	expect(said).toContain("1 of 100 bought");
});

test("plans are paused and cancelled by their id; a stranger's plan is not found", async () => {
	const { id } = (await run("arm_plan", wanted)).output;
	expect((await run("pause_plan", { id })).output.status).toBe("paused");
	expect((await run("cancel_plan", { id })).output.status).toBe("cancelled");
	by = await plans.buyer({ account: 4 });
	for (const name of ["read_plan", "pause_plan", "resume_plan", "cancel_plan"]) {
		await expect(run(name, { id })).rejects.toMatchObject({ code: "not_found" });
	}
	expect((await run("list_plans")).line).toBe("You have no plans yet.");
});

test("[RVL-05] a plan that a tool arms has all its fields, and names a rank or at least a trait", async () => {
	const traits = [{ type: "Eyes", values: ["Laser"] }];
	const { output } = await run("arm_plan", { ...wanted, traits, maxItems: 3 });
	expect(output).toMatchObject({
		...{ status: "armed", chain: "anvil", collectionSlug: "tidal-cats", trigger: "on_reveal" },
		...{ contractAddress: plans.contract, maxRank: 200, traits, maxItems: 3 },
		...{ maxPricePerItemNative: 0.4, maxPricePerItemRaw: "400000000000000000" },
		...{ budgetNative: 2, spentNative: 0, filledCount: 0, fills: [], failureCode: null },
		...{ walletId: by.wallet.id, pauseReason: null, outlook: { note: expect.any(String) } },
	});
	const lastsMs = Date.parse(output.expiresAt) - plans.clock.nowMs();
	expect(lastsMs).toBe(30 * 86_400_000);
	const byTraits = await run("arm_plan", { ...wanted, maxRank: undefined, traits });
	expect(byTraits.output).toMatchObject({ maxRank: null, traits });
	const byNothing = run("arm_plan", { ...wanted, maxRank: undefined });
	await expect(byNothing).rejects.toThrow("name a rank, or at least one trait");
	expect((await run("list_plans")).output.plans).toHaveLength(2);
});

test("[RVL-06] a tool refuses what the route refuses: confirmations, another kind of wallet, invalid input", async () => {
	for (const name of ["arm_plan", "prepare_plan"]) {
		by = await plans.buyer({ requireTradeConfirmation: true, capability: "external/manual" });
		await expect(run(name, wanted)).rejects.toMatchObject({
			code: "confirmation_required_incompatible",
		});
		for (const capability of ["external/manual", "embedded/manual", "disabled"] as const) {
			by = await plans.buyer({ capability });
			await expect(run(name, wanted)).rejects.toMatchObject({
				code: "delegated_execution_wallet_required",
			});
		}
		by = await plans.buyer();
		await expect(run(name, { ...wanted, budget: "0.39" })).rejects.toThrow();
		expect((await run("list_plans")).output.plans).toEqual([]);
	}
});

test("a price limit of zero and a profile with confirmations are refused, and nothing is stored", async () => {
	const nothing = run("arm_plan", { ...wanted, maxPricePerItem: "0" });
	await expect(nothing).rejects.toMatchObject({ code: "amount_invalid" });
	by = await plans.buyer({ requireTradeConfirmation: true });
	await expect(run("prepare_plan", wanted)).rejects.toMatchObject({
		code: "confirmation_required_incompatible",
	});
	expect((await run("list_plans")).output.plans).toEqual([]);
});

test("awaited reveals are shown to everybody", async () => {
	expect((await run("read_reveals")).line).toBe("No reveal is waited for, and none was lately.");
	await watchCollection(plans.db, {
		...{ collectionId: plans.collectionId, chainId: 31_337, reason: "plan", at: new Date(0) },
	});
	const { output, line } = await run("read_reveals", { chain: "anvil" });
	expect(output.reveals).toMatchObject([{ slug: "tidal-cats", phase: "armed", detectedAt: null }]);
	expect(line).toBe("Reveals: tidal-cats armed.");
	await expect(run("read_reveals", { chain: "moon" })).rejects.toMatchObject({
		code: "validation_error",
	});
});

test("a typed plan becomes the tool's input, and a rank that is no whole number is refused", async () => {
	const command = plansCommands.find(({ name }) => name === "snipe");
	const typed = { collection: "tidal-cats", maxRank: "200", maxPrice: "0.4", budget: "2" };
	const input = command?.input?.({ ...typed, maxItems: "3" });
	expect((await run("arm_plan", input as object)).output).toMatchObject({
		...{ maxRank: 200, maxItems: 3, maxPricePerItemNative: 0.4, status: "armed" },
	});
	await expect(
		run("arm_plan", command?.input?.({ ...typed, maxRank: "0.5" }) as object),
	).rejects.toThrow();
});
