import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { agentConfig } from "#agent/agentConfig.ts";
import type { Asked, Reply } from "#agent/contract.ts";
import { openAgent } from "#agent/openAgent.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { transferCommands, transferTools } from "#plugins/transfers/transferTools.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { type ModelEmulator, startModelEmulator } from "#test/sandbox/startModelEmulator.ts";

// Guarantee: a strict command moves its author's money once for its key; what a model read, and
// what another than its author says, moves nothing before the owner's yes to exactly that.

const ANNA = `0x${"a1".repeat(20)}` as const;
const STRICT = `send 0.25 eth to ${ANNA}`;
const FREE = `pls shoot 0.25 eth over to ${ANNA} thx`;

let database: TestDatabase;
let model: ModelEmulator;
let lab: TransfersLab;
let by: Awaited<ReturnType<TransfersLab["person"]>>;
let agent: ReturnType<typeof openAgent>;
beforeAll(async () => {
	database = await createTestDatabase();
	model = startModelEmulator();
});
afterAll(async () => {
	await model?.stop();
	await database?.drop();
});
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openTransfersLab(database.db);
	by = await lab.person();
	const { clock } = lab;
	agent = openAgent({
		collected: {
			tools: transferTools(lab.context),
			commands: transferCommands,
			names: [],
			callerOf: async () => null,
		},
		core: {
			clock,
			log: silentLog,
			budget: inProcessBudget({ clock }),
			metrics: createMetrics({ processMetrics: false }),
			chains: createChainRegistry(builtinChains),
		},
		config: agentConfig.parse({ OPENAI_BASE_URL: model.url, AGENT_MODEL: "scripted" }),
		ending: new AbortController().signal,
	});
});

function ask(text: string, more: Partial<Asked> = {}): Promise<Reply> {
	const caller: Caller = { channel: "agent", profileId: by.profile.id, authority: "author" };
	const signal = new AbortController().signal;
	return agent.handle({ text, caller, idempotencyKey: null, signal, ...more });
}

/** Where its link is answered, and what it shows: its owner asks for it, signed in. */
async function linkOf({ links: [link] }: Reply) {
	const intentId = link?.url.split("/").at(-1);
	const headers = { origin: "https://app.example" };
	const made = await lab.ask("/v1/links", { headers, body: { intentId }, by });
	expect(made.status).toBe(201);
	const path = `/v1/links/${made.body.url.split("/").at(-1)}`;
	const { planHash } = (await lab.ask(path)).body;
	return { path, body: { planHash } };
}

describe("[SOC-10] a strict command of its author", () => {
	test("a command is executed once for its key, however often and at whatever interval it is sent", async () => {
		const said = await Promise.all(
			Array.from({ length: 8 }, () => ask(STRICT, { idempotencyKey: "message-1" })),
		);
		const codes = new Set(said.map(({ code }) => code));
		expect(codes.isSubsetOf(new Set([null, "request_running"]))).toBe(true);
		const again = await ask(STRICT, { idempotencyKey: "message-1" });
		expect(again).toMatchObject({ kind: "done", tool: "send_eth", isProposal: false });
		expect(lab.chain.pool()).toMatchObject([{ to: ANNA, valueRaw: 25n * 10n ** 16n }]);
		const other = await ask(`send 0.5 eth to ${ANNA}`, { idempotencyKey: "message-1" });
		expect(other).toMatchObject({ kind: "refused", code: "idempotency_conflict" });
		const free = await ask(FREE, { idempotencyKey: "message-1" });
		expect(free).toMatchObject({ kind: "refused", code: "idempotency_conflict" });
		expect(lab.chain.pool()).toHaveLength(1);
	});

	test("a command waits if its owner requires a confirmation, or if their own wallet signs", async () => {
		by = await lab.person({ requireTradeConfirmation: true });
		expect((await ask(STRICT)).links).toMatchObject([{ rel: "confirm" }]);
		by = await lab.person({ capability: "external/manual" });
		expect((await ask(STRICT)).links).toMatchObject([{ rel: "sign" }]);
		expect(lab.chain.pool()).toEqual([]);
	});

	test("a command beyond its owner's limits is refused", async () => {
		const { data, line } = await ask(`send 100 eth to ${ANNA}`);
		expect(data).toMatchObject({ status: "rejected" });
		expect(line).toContain("nothing was sent");
		expect(lab.chain.pool()).toEqual([]);
	});
});

describe("[SOC-10] an order that only a model can read", () => {
	test("an order is proposed, and executed once after its owner's confirmation", async () => {
		const reply = await ask(FREE, { idempotencyKey: "message-1" });
		expect(reply).toMatchObject({ tool: "prepare_send_eth", command: STRICT, isProposal: true });
		await lab.tick();
		expect(lab.chain.pool()).toEqual([]);
		const { path, body } = await linkOf(reply);
		const answers = await Promise.all([lab.ask(path, { body }), lab.ask(path, { body })]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
		expect(lab.chain.pool()).toMatchObject([{ to: ANNA, valueRaw: 25n * 10n ** 16n }]);
	});

	test("politeness around a command is proposed too, and sent once by its owner's yes", async () => {
		const reply = await ask(`please ${STRICT}!!`);
		expect(reply).toMatchObject({ tool: "prepare_send_eth", command: STRICT, isProposal: true });
		expect(lab.chain.pool()).toEqual([]);
		const { path, body } = await linkOf(reply);
		expect((await lab.ask(path, { body })).status).toBe(200);
		expect(lab.chain.pool()).toMatchObject([{ to: ANNA, valueRaw: 25n * 10n ** 16n }]);
	});

	test("an order whose stored proposal was changed asks again instead of sending", async () => {
		const fields = [
			`plan = jsonb_set(plan, '{valueRaw}', '"1"')`,
			`plan = jsonb_set(plan, '{to}', '"0x${"b2".repeat(20)}"')`,
			`request = jsonb_set(request, '{amountRaw}', '"900000000000000000"')`,
			`request = jsonb_set(request, '{recipient}', '"0x${"b2".repeat(20)}"')`,
		];
		for (const change of fields) {
			const reply = await ask(FREE);
			const { path, body } = await linkOf(reply);
			const { id } = reply.data as { id: string };
			await database.db.execute(`update wallets.intent set ${change} where id = $1`, [id]);
			await lab.ask(path, { body });
			await lab.tick();
			const sent = lab.chain.pool().filter(({ to, valueRaw }) => {
				return to !== ANNA || valueRaw !== 25n * 10n ** 16n;
			});
			expect({ change, sent }).toEqual({ change, sent: [] });
		}
	});

	test("an order is not executed too late, and not by a program with the session", async () => {
		const reply = await ask(FREE);
		const { path, body } = await linkOf(reply);
		lab.clock.ms += 600_001;
		expect((await lab.ask(path, { body })).status).toBe(404);
		const session: Caller = { channel: "mcp", profileId: by.profile.id, authority: "session" };
		const proposed = await ask(STRICT, { caller: session });
		expect(proposed).toMatchObject({ tool: "prepare_send_eth", links: [{ rel: "confirm" }] });
		await lab.tick();
		expect(lab.chain.pool()).toEqual([]);
	});

	test("an order needs a confirmation if the wallet was delegated only after the proposal", async () => {
		by = await lab.person({ capability: "embedded/manual" });
		const reply = await ask(FREE);
		expect(reply.links).toMatchObject([{ rel: "sign" }]);
		await database.db.execute("update wallets.wallet set capability = 'embedded/delegated'");
		await lab.tick();
		expect(lab.chain.pool()).toEqual([]);
	});
});
