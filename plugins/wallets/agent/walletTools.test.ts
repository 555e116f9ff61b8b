import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { readLimits, readSpending } from "#plugins/wallets/agent/readWallet.ts";
import { walletCommands, walletTools } from "#plugins/wallets/agent/walletTools.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the agent tells somebody of their own wallets and actions only, what it does not know
// is not zero, and an action is taken back for its owner alone.

const chains = createChainRegistry(builtinChains);
const ANNA = `0x${"a1".repeat(20)}`;
const signal = new AbortController().signal;

let database: TestDatabase;
let lab: TransfersLab;
let balances: Rpc["settle"];
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openTransfersLab(database.db);
	balances = async (calls) => calls.map(() => ({ kind: "result", result: "0x14d1120d7b160000" }));
});

type Person = Awaited<ReturnType<TransfersLab["person"]>>;

function toolsOf() {
	const chain = chains.bySlug("anvil");
	if (!chain) throw new Error("no such chain");
	const rpc = { settle: (...asked: Parameters<Rpc["settle"]>) => balances(...asked) } as Rpc;
	return walletTools({
		wallets: lab.context.wallets,
		core: { chains, clock: lab.clock, reached: [{ chain, rpcFor: () => rpc, headUrls: [] }] },
		limitsOf: (profile) => readLimits(lab.deps, profile),
		spendingOf: (profile, period) => readSpending(lab.deps, profile, period),
		ending: signal,
	});
}

async function run(name: string, by: Person | null, input: object = {}) {
	const tool = toolsOf().find((one) => one.name === name);
	if (!tool) throw new Error(`no tool ${name}`);
	const profileId = by?.profile.id ?? null;
	const caller: Caller = { channel: "agent", profileId, authority: by ? "author" : "none" };
	const context = { caller, idempotencyKey: null, signal };
	const answer = await tool.run(tool.input.parse(input), context);
	if (answer.kind !== "done") throw new Error("it asks");
	const output = tool.output.parse(answer.output);
	return { output, line: tool.line(output), asOfMs: tool.asOfMs(output) };
}

async function sent(by: Person, amount = "0.25"): Promise<string> {
	const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount };
	const answer = await lab.ask("/v1/trading/wallet-transfers", { body, by });
	return answer.body.transfers[0].id;
}

test("profile, wallets and limits are those of the caller", async () => {
	const by = await lab.person({ dailyUsdMax: 700_000_000n });
	await lab.person();
	const profile = await run("read_profile", by);
	expect(profile.output.id).toBe(by.profile.id);
	expect(profile.line).toBe("Signed in with 1 wallet; no extra question.");
	const wallets = await run("read_wallets", by);
	expect(wallets.output.wallets).toMatchObject([{ id: by.wallet.id }]);
	const limits = await run("read_limits", by);
	expect(limits.output.limits).toMatchObject({ dailyUsd: "700", spentTodayUsd: "0" });
	expect(limits.asOfMs).toBe(lab.clock.nowMs());
});

test("a sent transfer counts as spent today in the limits", async () => {
	const by = await lab.person();
	await sent(by);
	const { output } = await run("read_limits", by);
	expect(Number(output.limits.spentTodayUsd)).toBeGreaterThan(0);
});

test("spent amounts and requests are those of the given period", async () => {
	const by = await lab.person();
	const id = await sent(by);
	const { output: limits } = await run("read_limits", by);
	const day = await run("read_spending", by, { window: "24h" });
	expect(day.output).toMatchObject({ spentUsd: limits.limits.spentTodayUsd, actions: 1 });
	expect(day.line).toBe(`${limits.limits.spentTodayUsd} USD spent or held by 1 action, 24h.`);
	const before = await run("read_spending", by, { window: "yesterday-utc" });
	expect(before.output).toMatchObject({ spentUsd: "0", actions: 0 });
	await expect(run("read_spending", by, { window: "2999-01" })).rejects.toMatchObject({
		code: "malformed_body",
	});
	const ids = async (input: object) =>
		(await run("list_intents", by, input)).output.intents.map((one: { id: string }) => one.id);
	expect(await ids({ window: "24h" })).toEqual([id]);
	expect(await ids({ window: "yesterday-utc" })).toEqual([]);
	expect(await ids({ only: "open" })).toEqual([id]);
	expect(await ids({ only: "transfers" })).toEqual([id]);
	const [other] = [await lab.person()];
	expect((await run("read_spending", other, { window: "24h" })).output).toMatchObject({
		spentUsd: "0",
	});
});

test("a balance is exact, and one that no node returns is unknown, not zero", async () => {
	const by = await lab.person();
	const { output, line } = await run("read_balances", by);
	expect(output.balances).toMatchObject([
		{ walletId: by.wallet.id, symbol: "ETH", balance: "1.5", balanceRaw: "1500000000000000000" },
	]);
	expect(line).toEndWith("on anvil: 1.5 ETH");
	balances = async (calls) => calls.map(() => ({ kind: "result", result: "many" }));
	expect((await run("read_balances", by)).output.balances).toMatchObject([{ balance: null }]);
	balances = () => Promise.reject(new Error("away"));
	const unknown = await run("read_balances", by);
	expect(unknown.output.balances).toMatchObject([{ balance: null, balanceRaw: null }]);
	expect(unknown.line).toEndWith("not known now");
	await expect(run("read_balances", by, { chain: "base" })).rejects.toMatchObject({
		code: "not_found",
	});
});

test("an action is listed, read and cancelled by its owner, and by nobody else", async () => {
	const [by, other] = await Promise.all([lab.person(), lab.person()]);
	const id = await sent(by);
	expect((await run("list_intents", by)).output.intents).toMatchObject([
		{ id, kind: "transfer", status: "submitted" },
	]);
	expect((await run("list_intents", other)).output.intents).toEqual([]);
	expect((await run("read_intent", by, { id })).line).toBe(
		"Your transfer is on its way, not confirmed yet.",
	);
	for (const name of ["read_intent", "cancel_intent"]) {
		await expect(run(name, other, { id })).rejects.toMatchObject({ code: "not_found" });
		await expect(run(name, null, { id })).rejects.toMatchObject({ code: "unauthorized" });
	}
	lab.chain.mine();
	await lab.tick();
	expect((await run("read_intent", by, { id })).output.status).toBe("confirmed");
});

test("an intent that waits for its owner's confirmation is cancelled at once", async () => {
	const by = await lab.person({ requireTradeConfirmation: true });
	const id = await sent(by);
	const { output, line } = await run("cancel_intent", by, { id });
	expect(output).toMatchObject({ id, errorCode: "cancelled", cancelUrl: null });
	expect(line).toBe("Your transfer was called off, nothing was sent.");
	expect(lab.chain.pool()).toEqual([]);
});

test("each wallet command names a tool that exists", () => {
	const names = toolsOf().map(({ name }) => name);
	expect(walletCommands.map(({ tool }) => tool).filter((tool) => !names.includes(tool))).toEqual(
		[],
	);
});
